//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@Suite("Limits")
struct LimitsTests {
    @Test("Ten thousand levels are accepted and canonicalized on a stack of 512 KB")
    func depthMax() {
        onSmallStack {
            #expect(refusal(of: nestedArrays(10_000)) == nil)
            guard let tape = try? JSONTape(scanning: nestedArrays(10_000)) else {
                Issue.record("refused")
                return
            }
            #expect(tape.depth == 10_000)
            #expect(!tape.hasDuplicateMembers(in: 0))
            var output: [UInt8] = []
            tape.appendCanonical(0, droppingUnderscoredMembers: true, to: &output)
            #expect(output == tape.bytes)
            output = []
            tape.appendWithoutDuplicates(0, to: &output)
            #expect(output == tape.bytes)
        }
    }

    @Test func objectsTenThousandDeep() throws {
        let text = String(repeating: #"{"a":"#, count: 10_000) + "1" + String(repeating: "}", count: 10_000)
        #expect(try canonical(text) == text)
    }

    @Test func oneLevelTooDeep() {
        let error = refusal(of: nestedArrays(10_001))
        #expect(error?.code == .tooDeep)
        #expect(error?.offset == 10_000)
        #expect(refusal(of: nestedArrays(3), limits: JSONLimits(depthMax: 2))?.offset == 2)
        #expect(refusal(of: nestedArrays(2), limits: JSONLimits(depthMax: 2)) == nil)
        #expect(refusal(of: Array("1".utf8), limits: JSONLimits(depthMax: 0)) == nil)
    }

    @Test("Containers are tracked at every depth", arguments: [1, 2, 63, 64, 65, 127, 128, 129, 200])
    func mixedNesting(depth: Int) throws {
        var opening = ""
        var closing = ""
        for level in 0..<depth {
            opening += level % 3 == 0 ? #"{"k":"# : "["
            closing = (level % 3 == 0 ? "}" : "]") + closing
        }
        #expect(refusal(of: opening + "0" + closing) == nil)
        #expect(try tape(opening + "0" + closing).depth == depth)
        let wrong = closing.map { $0 == "}" ? "]" : "}" }.joined()
        #expect(refusal(of: opening + "0" + wrong)?.code == .syntax)
    }

    @Test func bytesMax() {
        let error = refusal(of: Array("[1,2]".utf8), limits: JSONLimits(bytesMax: 4))
        #expect(error?.code == .tooLarge)
        #expect(error?.offset == 4)
        #expect(refusal(of: Array("[1,2]".utf8), limits: JSONLimits(bytesMax: 5)) == nil)
        #expect(JSONLimits(bytesMax: .max).bytesMax == JSONLimits.bytesCeiling)
    }

    @Test("The deepest value is created, compared, hashed, written and released on a stack of 512 KB")
    func valueDepthMax() {
        onSmallStack {
            let depth = JSONLimits.valueDepthMax
            let objects = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
            for bytes in [nestedArrays(depth), Array(objects.utf8)] {
                guard let value = try? JSONValue(parsing: bytes), let other = try? JSONValue(parsing: bytes) else {
                    Issue.record("refused")
                    return
                }
                #expect(value == other)
                #expect(value.hashValue == other.hashValue)
                #expect(value.jsonBytes() == bytes)
            }
        }
    }

    @Test("A long scan ends when its task is cancelled, if the limits say so")
    func cancelled() async {
        var limits = JSONLimits.default
        let text = Array("[\(String(repeating: "1,", count: 2 * 65_536))1]".utf8)
        for stopsWhenCancelled in [false, true] {
            limits.stopsWhenCancelled = stopsWhenCancelled
            let error = await Task { [limits] () async -> JSONError? in
                withUnsafeCurrentTask { $0?.cancel() }
                return refusal(of: text, limits: limits)
            }.value
            #expect(error?.code == (stopsWhenCancelled ? .cancelled : nil))
            #expect(refusal(of: text, limits: limits) == nil)
        }
    }

    @Test func valueTooDeep() throws {
        let depth = JSONLimits.valueDepthMax
        #expect(throws: JSONError.self) { try JSONValue(parsing: nestedArrays(depth + 1)) }
        let tape = try JSONTape(scanning: nestedArrays(depth + 1))
        #expect(throws: JSONError.self) { try tape.value(0) }
        #expect(throws: Never.self) { try tape.value(1) }
    }
}
