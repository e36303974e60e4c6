//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@Suite("Invariants")
struct InvariantTests {
    private struct Refusal: Error {}

    @Test("The first broken rule is the error of the operation, which ends before")
    func firstRule() throws {
        var hasEnded = false
        let error = #expect(throws: BrokenInvariant.self) {
            try InvariantScope.run {
                invariant(true, "this rule holds")
                invariant(hasEnded, "the operation has ended")
                invariant(false, "no second rule is broken")
                hasEnded = true
            }
        }
        #expect(hasEnded)
        #expect(error?.rule == "the operation has ended")
        #expect(error?.description.contains("InvariantTests.swift:") == true)
    }

    @Test("An operation without a broken rule returns its result or throws its error")
    func noRule() throws {
        #expect(try InvariantScope.run { 4 } == 4)
        #expect(throws: Refusal.self) { try InvariantScope.run { throw Refusal() } }
    }

    @Test("A broken rule is more important than the error that followed from it")
    func ruleAndError() {
        #expect(throws: BrokenInvariant.self) {
            try InvariantScope.run {
                invariant(false, "the state is right")
                throw Refusal()
            }
        }
    }

    @Test("An operation within another one fails alone")
    func nested() throws {
        let isCaught = try InvariantScope.run {
            do {
                try InvariantScope.run { invariant(false, "the inner operation is right") }
                return false
            } catch is BrokenInvariant {
                return true
            }
        }
        #expect(isCaught)
        #expect(throws: BrokenInvariant.self) {
            try InvariantScope.run {
                invariant(false, "the outer operation is right")
                try InvariantScope.run {}
            }
        }
    }

    @Test("Threads have separate scopes")
    func threads() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    do {
                        try InvariantScope.run { invariant(number.isMultiple(of: 2), "the number is even") }
                        return number.isMultiple(of: 2)
                    } catch is BrokenInvariant {
                        return !number.isMultiple(of: 2)
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
