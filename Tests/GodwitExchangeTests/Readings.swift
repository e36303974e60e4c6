//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitExchange
import GodwitJSON

/// The result of reading a text: one line for each record.
struct Reading: Equatable {
    /// `id body`, or `line reason` for a failure.
    var records: [String] = []
    /// The error that ended the reading early.
    var error: ExchangeError?

    init(
        _ text: [UInt8], cutAt cut: Int? = nil, _ make: (FileWindow) -> any RecordReader
    ) throws {
        var pieces = cut.map { [Array(text[..<$0]), Array(text[$0...])] } ?? text.map { [$0] }
        pieces.removeAll(where: \.isEmpty)
        var rest = pieces[...]
        var reader = make(try FileWindow { rest.popFirst() ?? [] })
        do throws(ExchangeError) {
            while let record = try reader.next() {
                switch record.content {
                case .success(let document):
                    records.append("\(document.id ?? "-") \(JSONValue.object(document.body).jsonText())")
                case .failure(let error): records.append("\(record.line): \(error.reason)")
                }
            }
        } catch {
            self.error = error
        }
    }

    /// Reads a text in one piece, in two pieces split at each offset, and byte by byte, and expects equal results.
    static func everywhere(_ text: String, _ make: (FileWindow) -> any RecordReader) throws -> Reading {
        try everywhere(Array(text.utf8), make)
    }

    static func everywhere(_ text: [UInt8], _ make: (FileWindow) -> any RecordReader) throws -> Reading {
        let whole = try Reading(text, cutAt: 0, make)
        for cut in 0..<text.count {
            let other = try Reading(text, cutAt: cut, make)
            if other != whole { throw Difference(cut: cut, whole: whole, other: other) }
        }
        let bytes = try Reading(text, make)
        if bytes != whole { throw Difference(cut: -1, whole: whole, other: bytes) }
        return whole
    }

    struct Difference: Error {
        let cut: Int
        let whole: Reading
        let other: Reading
    }
}

/// Pseudorandom numbers, the same for the same seed.
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 33
    }
}
