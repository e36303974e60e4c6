//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import TestKit
import Testing

/// Generates texts by the grammar, corrupts them, and checks properties that hold for any bytes. `GODWIT_FUZZ_ROUNDS`
/// sets the number of rounds, and `GODWIT_FUZZ_SEED` the first seed: a failure names its seed.
@Suite("Random texts")
struct FuzzTests {
    @Test("Any bytes: all readers agree with each other and with Foundation, and their output can be read again")
    func texts() {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["GODWIT_FUZZ_ROUNDS"].flatMap { UInt64($0) } ?? 5_000
        let first = environment["GODWIT_FUZZ_SEED"].flatMap { UInt64($0) } ?? 0
        for seed in first..<(first + rounds) {
            var generator = SeededGenerator(seed: seed)
            if let problem = Self.problem(with: RandomText.bytes(using: &generator)) {
                Issue.record("\(problem), with GODWIT_FUZZ_SEED=\(seed) GODWIT_FUZZ_ROUNDS=1")
                return
            }
        }
    }

    /// Returns the problem in the reading of a text; `nil` without a problem.
    private static func problem(with bytes: [UInt8]) -> String? {
        let refusal = refusal(of: bytes)
        let tape: JSONTape
        do {
            tape = try JSONTape(scanning: bytes)
            if let refusal { return "the tape takes what the scanner refuses: \(refusal)" }
        } catch {
            if error != refusal { return "the tape says \(error), the scanner \(refusal.map { "\($0)" } ?? "nothing")" }
            if !(0...bytes.count).contains(error.offset) { return "an offset beyond the text: \(error)" }
            let isRead = (try? JSONValue(parsing: bytes)) != nil
            return isRead ? "a value of a refused text" : FoundationJSON.problem(withRefused: bytes, as: error)
        }
        if String(validating: bytes, as: UTF8.self) == nil { return "what is no UTF-8 is taken" }
        return problem(with: tape)
    }

    private static func problem(with tape: JSONTape) -> String? {
        let text = canonical(tape)
        guard let again = try? JSONTape(scanning: text) else { return "the canonical text is refused" }
        if canonical(again) != text { return "the canonical text has another canonical text" }
        var single: [UInt8] = []
        tape.appendWithoutDuplicates(0, to: &single)
        guard let unique = try? JSONTape(scanning: single) else { return "the text without duplicates is refused" }
        if unique.hasDuplicateMembers(in: 0) { return "duplicates are left" }
        if !tape.hasDuplicateMembers(in: 0), single != Array(tape.slice(0)) { return "more than duplicates went" }
        guard tape.depth <= JSONLimits.valueDepthMax else {
            return (try? JSONValue(parsing: tape.bytes)) == nil ? nil : "a value that is too deep"
        }
        return problem(with: tape, unique: unique, canonical: text)
    }

    /// Returns the problem in a text that is not too deep for values; `nil` without a problem.
    private static func problem(with tape: JSONTape, unique: JSONTape, canonical text: [UInt8]) -> String? {
        guard let value = try? tape.value(0), let parsed = try? JSONValue(parsing: tape.bytes) else {
            return "no value of an accepted text"
        }
        if value != parsed { return "the tape's value is another one" }
        if (try? unique.value(0)) != value { return "without duplicates it is another value" }
        let written = value.jsonBytes()
        guard let rewritten = try? JSONTape(scanning: written) else { return "a value is written as what is no JSON" }
        if (try? rewritten.value(0)) != value { return "a value does not survive writing and reading" }
        if canonical(rewritten) != text { return "the written value has another canonical text" }
        return tape.depth <= FoundationJSON.depthMax ? FoundationJSON.problem(with: value, of: tape.bytes) : nil
    }

    private static func canonical(_ tape: JSONTape) -> [UInt8] {
        var output: [UInt8] = []
        tape.appendCanonical(0, droppingUnderscoredMembers: false, to: &output)
        return output
    }
}
