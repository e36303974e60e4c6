//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import TestKit
import Testing

@Suite("Merging")
struct MergeTests {
    @Test("Cases", arguments: MergeCase.members + MergeCase.objects + MergeCase.arrays)
    func cases(_ sample: MergeCase) throws {
        let merge = JSONObject.merged(
            base: try object(sample.base), ours: try object(sample.ours), theirs: try object(sample.theirs),
            arraysOfScalarsAsSets: sample.asSets)
        #expect(merge.object.description == sample.merged)
        #expect(merge.conflicts == sample.conflicts)
    }

    @Test("All combinations of three values of one member", arguments: [false, true])
    func smallWorld(asSets: Bool) throws {
        let texts = [
            "{}", #"{"a":1}"#, #"{"a":2}"#, #"{"a":null}"#, #"{"a":{}}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":2}}"#,
            #"{"a":{"b":1,"c":1}}"#, #"{"a":{"b":{"c":1}}}"#, #"{"a":[]}"#, #"{"a":[1]}"#, #"{"a":[2]}"#,
            #"{"a":[1,2]}"#, #"{"a":[[1]]}"#, #"{"b":1}"#,
        ]
        let objects = try texts.map { try object($0) }
        for base in objects {
            for ours in objects {
                for theirs in objects { checkLaws(base: base, ours: ours, theirs: theirs, asSets: asSets) }
            }
        }
    }

    @Test("Random objects, also with an index of the names", arguments: 0..<20)
    func randomObjects(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let base = randomObject(depth: 3, using: &generator)
            let ours = mutated(base, using: &generator)
            let theirs = mutated(base, using: &generator)
            checkLaws(base: base, ours: ours, theirs: theirs, asSets: seed.isMultiple(of: 2))
        }
    }

    @Test("A thousand levels are merged on the smallest stack")
    func deepObjects() {
        onSmallStack {
            var sides = [1, 2, 3].map { JSONObject([("n", .integer($0))]) }
            for _ in 1..<JSONLimits.valueDepthMax { sides = sides.map { JSONObject([("a", .object($0))]) } }
            let merge = JSONObject.merged(base: sides[0], ours: sides[1], theirs: sides[2])
            #expect(merge.object == sides[1])
            #expect(merge.conflicts == [Array(repeating: "a", count: JSONLimits.valueDepthMax - 1) + ["n"]])
        }
    }

    private func checkLaws(base: JSONObject, ours: JSONObject, theirs: JSONObject, asSets: Bool) {
        func merged(_ base: JSONObject, _ ours: JSONObject, _ theirs: JSONObject) -> JSONMerge {
            JSONObject.merged(base: base, ours: ours, theirs: theirs, arraysOfScalarsAsSets: asSets)
        }
        #expect(merged(base, base, theirs).object == theirs)
        #expect(merged(base, base, theirs).conflicts.isEmpty)
        #expect(merged(base, ours, base).object.description == ours.description)
        #expect(merged(base, ours, ours).object.description == ours.description)
        let merge = merged(base, ours, theirs)
        #expect(merge.object.description == merged(base, ours, theirs).object.description)
        let mirrored = merged(base, theirs, ours)
        #expect(Set(merge.conflicts) == Set(mirrored.conflicts))
        if merge.conflicts.isEmpty {
            #expect(withSortedArrays(.object(merge.object)) == withSortedArrays(.object(mirrored.object)))
        }
    }
}

private func object(_ text: String) throws -> JSONObject { try #require(try JSONValue(parsing: text).objectValue) }

private func withSortedArrays(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let elements): .array(elements.sorted { $0.jsonText() < $1.jsonText() })
    case .object(let members): .object(JSONObject(members.map { ($0.key, withSortedArrays($0.value)) }))
    default: value
    }
}

private func randomObject(depth: Int, using generator: inout SeededGenerator) -> JSONObject {
    let count = Int.random(in: 0...4, using: &generator) == 0 ? 40 : 4
    return JSONObject(
        (0..<count).map { ("m\($0)", randomValue(depth: depth - 1, using: &generator)) }.shuffled(using: &generator))
}

private func randomValue(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0 where depth > 0: .object(randomObject(depth: depth, using: &generator))
    case 1: .array(Array([1, 2, 3].shuffled(using: &generator).prefix(2)))
    default: .integer(Int64.random(in: 0..<3, using: &generator))
    }
}

/// Returns an object in which about one member in six is changed, removed or added.
private func mutated(_ object: JSONObject, using generator: inout SeededGenerator) -> JSONObject {
    var changed = object
    for (name, value) in object {
        switch (Int.random(in: 0..<18, using: &generator), value) {
        case (0, _): changed[name] = randomValue(depth: 1, using: &generator)
        case (1, _): changed[name] = nil
        case (2, _): changed[name + "x"] = 1
        case (3..., .object(let members)): changed[name] = .object(mutated(members, using: &generator))
        default: break
        }
    }
    return changed
}
