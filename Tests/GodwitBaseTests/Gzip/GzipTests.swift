//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@Suite("Gzip")
struct GzipTests {
    private func packed(_ pieces: [[UInt8]]) -> [UInt8] {
        var packer = GzipPacker()
        return pieces.flatMap { packer.pack($0) } + packer.end()
    }

    private func unpacked(_ pieces: [[UInt8]]) async throws -> [UInt8] {
        let stream = GzipUnpacker()
        var made: [UInt8] = []
        for piece in pieces { try await stream.append(piece) { made += $0 } }
        try stream.finish()
        return made
    }

    private func cut(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    @Test("Compressed bytes are restored, in pieces of any size", arguments: [0, 1, 7, 64 << 10, 300_000])
    func roundTrip(_ count: Int) async throws {
        var generator = SystemRandomNumberGenerator()
        // The first becomes smaller, the second larger.
        for bytes in [
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) },
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) },
        ] {
            for pieces in [[bytes], cut(bytes, 10_007)] {
                let packed = packed(pieces)
                #expect(try await unpacked([packed]) == bytes)
                #expect(try await unpacked(cut(packed, 13)) == bytes)
            }
        }
    }

    @Test("After each piece all previous bytes can be read")
    func pieces() async throws {
        var packer = GzipPacker()
        let unpacker = GzipUnpacker()
        for text in ["a change\n", "another\n"] {
            var read: [UInt8] = []
            try await unpacker.append(packer.pack(Array(text.utf8))) { read += $0 }
            #expect(read == Array(text.utf8))
        }
    }

    @Test("Input that is not gzip, is truncated or has trailing bytes is refused")
    func refused() async throws {
        let packed = packed([Array("hello".utf8)])
        for bytes in [Array("plain text".utf8), Array(packed.dropLast()), [], packed + packed] {
            await #expect(throws: GzipUnpacker.Failure.self) { try await unpacked([bytes]) }
        }
    }
}
