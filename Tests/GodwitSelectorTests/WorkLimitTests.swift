//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import Testing

@testable import GodwitSelector

@Suite("Work of a selector")
struct WorkLimitTests {
    private static let backtracking = Array(repeating: String(repeating: "a", count: 28) + "!", count: 1_000) + ["z"]

    #if SystemLibraries
        private static let costlyPatterns: [JSONValue] = [["rxs": ["$elemMatch": ["$regex": "(a+)+$"]]]]
    #else
        // No pattern needs backtracking.
        private static let costlyPatterns: [JSONValue] = []
    #endif

    private static let costly: [JSONValue] =
        costlyPatterns + [
            ["rxs": ["$all": .array(Array(repeating: "z", count: 10_000))]],
            ["rxs": ["$elemMatch": ["$or": .array((0..<5_000).map { ["$eq": .string("x\($0)")] })]]],
            ["$and": .array((0..<2_000).map { ["rxs": ["$allMatch": ["$gt": .integer(Int64($0))]]] })],
        ]

    private func tape() throws -> JSONTape {
        let document: JSONValue = ["rxs": .array(WorkLimitTests.backtracking.map { .string($0) })]
        return try JSONTape(scanning: document.jsonBytes())
    }

    private func limits(documentSteps: Int, steps: Int = .max) -> WorkBudget.Limits {
        var limits = WorkBudget.Limits()
        (limits.documentStepsMax, limits.stepsMax) = (documentSteps, steps)
        return limits
    }

    @Test("Matching one document ends at its limit, for every operator", arguments: costly)
    func documentLimit(_ selector: JSONValue) throws {
        let meter = WorkMeter(of: WorkBudget(limits(documentSteps: 100_000)))
        _ = try Selector(parsing: selector).matches(try tape(), at: 0, meter)
        #expect(meter?.end == .documentStepsExhausted(stepsMax: 100_000))
    }

    @Test("Each document has its own limit of steps, and all share that of the request")
    func requestLimit() throws {
        let selector = try Selector(parsing: ["rxs": ["$elemMatch": ["$eq": "x"]]])
        let meter = WorkMeter(of: WorkBudget(limits(documentSteps: 100_000, steps: 500_000)))
        var documents = 0
        while meter?.end == nil, documents < 10_000 {
            #expect(!selector.matches(try tape(), at: 0, meter))
            documents += 1
        }
        #expect(meter?.end == .stepsExhausted(stepsMax: 500_000))
        #expect(documents > 50)
    }

    @Test("A cancelled budget ends the work immediately")
    func cancellation() throws {
        let budget = WorkBudget()
        budget.cancel()
        let meter = WorkMeter(of: budget)
        _ = try Selector(parsing: WorkLimitTests.costly[0]).matches(try tape(), at: 0, meter)
        #expect(meter?.end == .cancelled)
    }

    @Test(
        "A regular expression finds the same with a meter and without one",
        arguments: ["a+!", "b", "^a{28}!$", "(a|b)*!"])
    func sameWithMeter(_ pattern: String) throws {
        let selector = try Selector(parsing: ["rxs": ["$elemMatch": ["$regex": .string(pattern)]]])
        let meter = WorkMeter(of: WorkBudget())
        #expect(selector.matches(try tape(), at: 0, meter) == selector.matches(try tape()))
        #expect(meter?.end == nil)
    }

    @Test("The number of values in a selector is limited")
    func values() {
        let values = JSONValue.array(Array(repeating: .integer(1), count: SelectorLimits.argumentValuesMax))
        #expect(throws: SelectorError.self) { try Selector(parsing: ["a": ["$in": values]]) }
    }

    @Test("Ranges of many conditions contain all matches")
    func manyConditions() throws {
        let conditions = (0..<2_200).map { ["a": ["$ne": .integer(Int64($0))]] as JSONValue }
        let ranges = try #require(try Selector(parsing: ["$and": .array(conditions)]).ranges(of: "a"))
        #expect(!ranges.isExact)
        #expect(ranges.ranges.ranges.count <= SelectorLimits.rangesIntersectedMax)
    }
}
