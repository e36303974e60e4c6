//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// WAVE files without compression.
enum WaveFile {
    /// The maximum length of the part before the samples, in bytes.
    private static let headBytesMax = 64 << 10

    /// Returns a file with samples of one channel.
    static func file(of samples: [Int16], rate: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(44 + samples.count * 2)
        func add(_ text: String) { bytes += Array(text.utf8) }
        func add<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
        add("RIFF")
        add(UInt32(36 + samples.count * 2))
        add("WAVEfmt ")
        add(UInt32(16))
        add(UInt16(1))
        add(UInt16(1))
        add(UInt32(rate))
        add(UInt32(rate * 2))
        add(UInt16(2))
        add(UInt16(16))
        add("data")
        add(UInt32(samples.count * 2))
        for sample in samples { add(sample) }
        return bytes
    }

    /// Reads the beginning of a file.
    ///
    /// - Parameter bytes: The first bytes of the file.
    /// - Returns: The form of the samples and their position; `nil` if more bytes are needed.
    /// - Throws: ``SpeechError`` with code `input` if the file is not a WAVE file, or if the form of its samples is not
    ///   supported.
    static func samples(in bytes: [UInt8]) throws(SpeechError) -> (form: AudioForm, start: Int)? {
        guard bytes.count >= 12 else { return nil }
        guard text(bytes, 0) == "RIFF", text(bytes, 8) == "WAVE" else {
            throw SpeechError(.input, "The audio is no WAVE file.")
        }
        var (position, form) = (12, AudioForm?.none)
        while position + 8 <= bytes.count {
            let (name, length) = (text(bytes, position), number(bytes, position + 4, 4))
            position += 8
            if name == "data" {
                guard let form else { throw SpeechError(.input, "The WAVE file has samples before their form.") }
                return (form, position)
            }
            guard length + position <= headBytesMax else {
                throw SpeechError(.input, "The WAVE file has more than 64 KB before its samples.")
            }
            if name == "fmt " {
                guard length >= 16 else { throw SpeechError(.input, "The WAVE file is damaged.") }
                guard position + length <= bytes.count else { return nil }
                form = try readForm(bytes, position, length)
            }
            position += length + length % 2
        }
        guard bytes.count <= headBytesMax else { throw SpeechError(.input, "The WAVE file has no samples.") }
        return nil
    }

    private static func readForm(
        _ bytes: [UInt8], _ position: Int, _ length: Int
    ) throws(SpeechError) -> AudioForm {
        var format = number(bytes, position, 2)
        // In an extended header (0xFFFE), the format is in the last part of the header.
        if format == 0xFFFE, length >= 26 { format = number(bytes, position + 24, 2) }
        guard format == 1 else {
            throw SpeechError(.input, "The WAVE file is compressed. Send integers without compression (PCM).")
        }
        return try AudioForm(
            rate: number(bytes, position + 4, 4), channels: number(bytes, position + 2, 2),
            bits: number(bytes, position + 14, 2))
    }

    private static func text(_ bytes: [UInt8], _ position: Int) -> String {
        String(decoding: bytes[position..<position + 4], as: UTF8.self)
    }

    private static func number(_ bytes: [UInt8], _ position: Int, _ count: Int) -> Int {
        bytes[position..<position + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
