//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGzip
import Testing

@Suite("Gzip")
struct GzipStreamTests {
    private func all(_ stream: GzipStream, _ pieces: [[UInt8]]) async throws -> [UInt8] {
        var made: [UInt8] = []
        for piece in pieces { try await stream.append(piece) { made += $0 } }
        try await stream.finish { made += $0 }
        return made
    }

    @Test("What was compressed comes back, in pieces of any size", arguments: [0, 1, 7, 64 << 10, 300_000])
    func roundTrip(_ count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let packed = try await all(GzipStream(.compress), [bytes])
        #expect(try await all(GzipStream(.decompress), [packed]) == bytes)
        let pieces = stride(from: 0, to: packed.count, by: 13).map { Array(packed[$0..<min($0 + 13, packed.count)]) }
        #expect(try await all(GzipStream(.decompress), pieces) == bytes)
    }

    @Test("A flush gives all that was put in")
    func flush() async throws {
        let (packing, unpacking) = (GzipStream(.compress), GzipStream(.decompress))
        var (packed, text): ([UInt8], [UInt8]) = ([], [])
        try await packing.append(Array("a change\n".utf8)) { packed += $0 }
        try await packing.flush { packed += $0 }
        try await unpacking.append(packed) { text += $0 }
        #expect(text == Array("a change\n".utf8))
    }

    @Test("What is no gzip, ends too early or goes on is refused")
    func refused() async throws {
        let packed = try await all(GzipStream(.compress), [Array("hello".utf8)])
        for bytes in [Array("plain text".utf8), Array(packed.dropLast()), [], packed + packed] {
            await #expect(throws: GzipStream.Failure.self) { try await all(GzipStream(.decompress), [bytes]) }
        }
    }
}
