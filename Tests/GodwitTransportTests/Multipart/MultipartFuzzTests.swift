//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestKit
import Testing

@testable import GodwitTransport

/// Mutates valid bodies and checks properties that hold for any bytes. `GODWIT_FUZZ_ROUNDS` sets the number of rounds,
/// and `GODWIT_FUZZ_SEED` the first seed: a failure names its seed.
@Suite("Random multipart bodies")
struct FuzzTests {
    @Test("Any bytes: the same result for any pieces, bounded memory, and bodies that occur in the input")
    func mutations() {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["GODWIT_FUZZ_ROUNDS"].flatMap { UInt64($0) } ?? 20_000
        let first = environment["GODWIT_FUZZ_SEED"].flatMap { UInt64($0) } ?? 0
        for seed in first..<(first + rounds) {
            if let problem = Self.problem(seed: seed) {
                Issue.record("\(problem), with GODWIT_FUZZ_SEED=\(seed) GODWIT_FUZZ_ROUNDS=1")
                return
            }
        }
    }

    /// Returns the problem in the outcome of one random body; `nil` without a problem.
    private static func problem(seed: UInt64) -> String? {
        var generator = SeededGenerator(seed: seed)
        let boundary = ["b", "bb", "a b", "--", "4f0c4f0c4f0c4f0c"].randomElement(using: &generator) ?? "b"
        var limits = MultipartLimits()
        limits.headerBytesMax = [0, 20, 200].randomElement(using: &generator) ?? 200
        limits.partsMax = Int.random(in: 0..<8, using: &generator)
        limits.preambleBytesMax = Int.random(in: 0..<40, using: &generator)
        let bytes = mutated(body(boundary, using: &generator), boundary, using: &generator)
        let whole = outcome(of: [bytes], boundary: boundary, limits: limits)
        let pieces = randomPieces(of: bytes, using: &generator)
        let pieced = outcome(of: pieces, boundary: boundary, limits: limits)
        if whole != pieced { return "whole \(whole), in pieces \(pieced)" }
        let waiting = max(whole.waitingBytesMax, pieced.waitingBytesMax)
        if waiting > limits.waitingBytesMax { return "\(waiting) bytes wait" }
        if whole.isComplete == (whole.failure != nil) { return "neither complete nor refused" }
        if whole.parts.count > limits.partsMax { return "\(whole.parts.count) parts" }
        return areFound(whole.parts.map(\.body), in: bytes) ? nil : "a body that was not in the input"
    }

    /// Whether the bodies are in the input, in their order and without overlap.
    private static func areFound(_ bodies: [[UInt8]], in bytes: [UInt8]) -> Bool {
        var position = 0
        for body in bodies {
            while position + body.count <= bytes.count, !bytes[position...].starts(with: body) { position += 1 }
            guard position + body.count <= bytes.count else { return false }
            position += body.count
        }
        return true
    }

    private static func body(_ boundary: String, using generator: inout SeededGenerator) -> [UInt8] {
        guard var writer = try? MultipartWriter(boundary: boundary) else { return [] }
        var bytes: [UInt8] = []
        for number in 0..<Int.random(in: 0..<5, using: &generator) {
            let length = Int.random(in: 0..<40, using: &generator)
            bytes += writer.part(number == 0 ? MultipartWriter.documentHeaders : [("A", "\(length)"), ("B", "")])
            bytes += (0..<length).map { _ in "\r\n-bx ".utf8.randomElement(using: &generator) ?? 0 }
        }
        return bytes + writer.end()
    }

    private static func mutated(
        _ valid: [UInt8], _ boundary: String, using generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = valid
        let delimiter = Array("\r\n--\(boundary)--\r\n\r\n".utf8)
        for _ in 0..<Int.random(in: 0..<5, using: &generator) where !bytes.isEmpty {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            let range = position..<Int.random(in: position...min(bytes.count, position + 30), using: &generator)
            let from = Int.random(in: 0..<delimiter.count, using: &generator)
            let inserted = delimiter[from..<Int.random(in: from...delimiter.count, using: &generator)]
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes.removeSubrange(range)
            case 2: bytes.insert(contentsOf: Array(bytes[range]), at: position)
            case 3: bytes.insert(contentsOf: inserted, at: position)
            case 4: bytes.removeSubrange(position...)
            default:
                let blanks = [UInt8](repeating: .space, count: Int.random(in: 250...260, using: &generator))
                bytes.insert(contentsOf: inserted + blanks, at: position)
            }
        }
        return bytes
    }
}
