//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import TestKit
import Testing

@testable import GodwitServer

@Suite("Data of inline attachments in a text that arrives in pieces")
struct AttachmentDataScannerTests {
    @Test("The scanner finds what the parser finds", arguments: TestScale.seeds(500, of: 100_000))
    func parser(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let shape = Bool.random(using: &generator) ? AttachmentDataScanner.Shape.document : .list
        var text = RandomDocument(generator).text(shape)
        // Other names and a wrong position are found by neither.
        if seed.isMultiple(of: 7) { text = "[\(text)]" }
        let bytes = Array(text.utf8)
        let tape = try JSONTape(scanning: bytes)
        #expect(found(in: bytes, shape, &generator) == Self.parsed(tape, shape), "\(text)")
    }

    @Test("Every byte of a malformed text comes back in its order", arguments: TestScale.seeds(300, of: 50_000))
    func malformed(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bytes = Array(RandomDocument(generator).text(.list).utf8)
        for _ in 0..<3 {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[position] = Array(#"{}[]",:\a"#.utf8).randomElement(using: &generator)!
        }
        _ = found(in: bytes, .list, &generator)
    }

    /// Scans a text in random pieces, checks that the parts are the text, and returns the data by its offset.
    private func found(
        in bytes: [UInt8], _ shape: AttachmentDataScanner.Shape, _ generator: inout SeededGenerator
    ) -> [Int: [UInt8]] {
        var scanner = AttachmentDataScanner(shape)
        var (whole, data): ([UInt8], [Int: [UInt8]]) = ([], [:])
        var dataStart: Int?
        var remaining = bytes[...]
        while !remaining.isEmpty {
            let piece = Array(remaining.prefix(Int.random(in: 1...20, using: &generator)))
            remaining = remaining.dropFirst(piece.count)
            var position = 0
            while let part = piece.withUnsafeBufferPointer({ scanner.next(in: $0, at: &position) }) {
                switch part {
                case .text(let range): whole += piece[range]
                case .dataStart:
                    dataStart = whole.count - 1
                    data[whole.count - 1] = []
                case .data(let range):
                    whole += piece[range]
                    if let dataStart { data[dataStart]? += piece[range] }
                case .dataEnd: dataStart = nil
                }
            }
        }
        #expect(whole == bytes)
        return data
    }

    /// The data of attachments as the parser finds it, by its offset, with the data of members that occur twice.
    private static func parsed(_ tape: JSONTape, _ shape: AttachmentDataScanner.Shape) -> [Int: [UInt8]] {
        func members(_ index: Int, _ name: String?) -> [Int] {
            tape.members(of: index).filter { key, _ in
                let text = tape.slice(key).dropFirst().dropLast()
                return name.map { text.elementsEqual($0.utf8) } ?? true
            }.map(\.value)
        }
        let documents = shape == .document ? [0] : members(0, "docs").flatMap { Array(tape.elements(of: $0)) }
        let strings = documents.flatMap { members($0, "_attachments") }.flatMap { members($0, nil) }
            .flatMap { members($0, "data") }.filter { tape.kind($0) == .string }
        return Dictionary(
            uniqueKeysWithValues: strings.map {
                (tape.range($0).lowerBound, Array(tape.slice($0).dropFirst().dropLast()))
            })
    }

    @Test("Digits in pieces are decoded as the whole", arguments: TestScale.seeds(300, of: 50_000))
    func digits(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var digits: [UInt8] = []
        Base64.append(
            (0..<UInt8.random(in: 0...40, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }[...],
            to: &digits)
        if seed.isMultiple(of: 3), !digits.isEmpty {
            let position = Int.random(in: 0..<digits.count, using: &generator)
            digits[position] = Array("=A*".utf8).randomElement(using: &generator)!
        }
        if seed.isMultiple(of: 5) { digits.removeAll { $0 == UInt8(ascii: "=") } }
        var decoder = Base64Decoder()
        var bytes: [UInt8]? = []
        var remaining = digits[...]
        while !remaining.isEmpty {
            let piece = remaining.prefix(Int.random(in: 1...9, using: &generator))
            remaining = remaining.dropFirst(piece.count)
            bytes = bytes.flatMap { bytes in decoder.append(piece).map { bytes + $0 } }
        }
        bytes = bytes.flatMap { bytes in decoder.finish().map { bytes + $0 } }
        #expect(bytes == Base64.decode(digits), "\(String(decoding: digits, as: UTF8.self))")
    }
}

/// Random documents whose members often have the names that lead to attachments.
private struct RandomDocument {
    private var generator: SeededGenerator

    init(_ generator: SeededGenerator) { self.generator = generator }

    func text(_ shape: AttachmentDataScanner.Shape) -> String {
        var copy = self
        return switch shape {
        case .document: copy.object(depth: 0, ["_attachments", "docs"])
        case .list:
            "{\"docs\" : [\((0..<3).map { _ in copy.object(depth: 0, ["_attachments", "docs"]) }.joined(separator: ","))]}"
        }
    }

    private mutating func object(depth: Int, _ names: [String]) -> String {
        let inner = depth == 1 ? ["data", "stub"] : ["a", "data", "_attachments"]
        let members = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            let name = names.randomElement(using: &generator)!
            let gap = Bool.random(using: &generator) ? " " : ""
            return "\"\(name)\"\(gap):\(gap)\(value(depth: depth + 1, inner))"
        }
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func value(depth: Int, _ names: [String]) -> String {
        switch Int.random(in: 0...(depth > 4 ? 2 : 6), using: &generator) {
        case 0: #""QUJD\/\"x\\""#
        case 1: ["1", "null", "true", "\"\"", #""{[,:""#].randomElement(using: &generator)!
        case 2: "\"\(String(repeating: "A", count: Int.random(in: 0...30, using: &generator)))\""
        case 3: "[\(value(depth: depth + 1, names)),\(value(depth: depth + 1, names))]"
        default: object(depth: depth, names)
        }
    }
}
