//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestKit

@testable import GodwitTransport

/// The headers and the body of a part.
struct Part: Equatable, CustomStringConvertible {
    var headers: [String] = []
    var body: [UInt8] = []
    var isComplete = false

    init(_ headers: [String] = [], _ body: String = "") {
        self.headers = headers
        self.body = Array(body.utf8)
        isComplete = true
    }

    init(_ headers: MultipartHeaders) {
        self.headers = headers.fields.map { "\($0.name): \($0.value)" }
    }

    var description: String { "\(headers) \(String(decoding: body, as: UTF8.self).debugDescription) \(isComplete)" }
}

/// The result of reading a body: the parts, and whether it was complete, or the error.
struct Outcome: Equatable {
    var parts: [Part] = []
    var isComplete = false
    var failure: MultipartError?
    var waitingBytesMax = 0

    static func == (left: Outcome, right: Outcome) -> Bool {
        left.parts == right.parts && left.isComplete == right.isComplete && left.failure == right.failure
    }
}

/// Reads a body that arrives in the given pieces.
func outcome(of pieces: [[UInt8]], boundary: String, limits: MultipartLimits = MultipartLimits()) -> Outcome {
    var outcome = Outcome()
    do throws(MultipartError) {
        var reader = try MultipartReader(boundary: boundary, limits: limits)
        for piece in pieces {
            reader.append(piece)
            while let event = try reader.next() { outcome.add(event) }
            outcome.waitingBytesMax = max(outcome.waitingBytesMax, reader.waitingBytes)
        }
        try reader.finish()
    } catch {
        outcome.failure = error
    }
    return outcome
}

func outcome(of text: String, boundary: String = "b", limits: MultipartLimits = MultipartLimits()) -> Outcome {
    outcome(of: [Array(text.utf8)], boundary: boundary, limits: limits)
}

extension Outcome {
    /// Adds an event; an event in a wrong position ends the process.
    mutating func add(_ event: MultipartEvent) {
        precondition(!isComplete)
        switch event {
        case .headers(let headers):
            precondition(parts.last?.isComplete != false)
            parts.append(Part(headers))
        case .body(let bytes):
            precondition(parts.last?.isComplete == false)
            precondition((1...MultipartLimits.bodyPieceBytesMax).contains(bytes.count))
            parts[parts.count - 1].body += bytes
        case .partEnd:
            precondition(parts.last?.isComplete == false)
            parts[parts.count - 1].isComplete = true
        case .end:
            precondition(parts.last?.isComplete != false)
            isComplete = true
        }
    }
}

/// Returns the bytes in pieces of random lengths.
func randomPieces(of bytes: [UInt8], using generator: inout SeededGenerator) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var position = 0
    let longest = [2, 10, 100].randomElement(using: &generator) ?? 2
    while position < bytes.count {
        let end = min(bytes.count, position + Int.random(in: 0...longest, using: &generator))
        pieces.append(Array(bytes[position..<end]))
        position = end
    }
    return pieces
}
