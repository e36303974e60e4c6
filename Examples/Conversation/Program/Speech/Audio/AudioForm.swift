//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The form of uncompressed audio: little-endian integers, with the channels interleaved.
struct AudioForm: Codable, Equatable, Sendable {
    /// The number of samples of a channel in a second.
    var rate: Int
    /// The number of channels.
    var channels: Int
    /// The number of bits of a sample. Samples of 16 bits are signed integers. Samples of 8 bits are unsigned integers.
    var bits: Int

    /// The number of bytes of one sample of each channel.
    var frameBytes: Int { channels * bits / 8 }
    /// The number of bytes of one second of audio.
    var bytesPerSecond: Int { rate * frameBytes }

    private static let rates = 4_000...192_000

    /// Creates a form.
    ///
    /// - Throws: ``SpeechError`` with code `input` for a form that is not supported.
    init(rate: Int, channels: Int = 1, bits: Int = 16) throws(SpeechError) {
        guard Self.rates.contains(rate) else {
            throw SpeechError(.input, "The audio must have between 4000 and 192000 samples in a second.")
        }
        guard 1...2 ~= channels else { throw SpeechError(.input, "The audio must have one or two channels.") }
        guard bits == 16 || bits == 8 else { throw SpeechError(.input, "The samples must have 16 or 8 bits.") }
        (self.rate, self.channels, self.bits) = (rate, channels, bits)
    }

    /// Reads a media type such as `audio/l16; rate=44100; channels=1`; `nil` for another type.
    ///
    /// - Parameter rateUsual: The rate of a media type that names no rate.
    /// - Throws: ``SpeechError`` with code `input` for a form that is not supported.
    init?(mediaType: String, rateUsual: Int = 48_000) throws(SpeechError) {
        let parts = mediaType.lowercased().split(separator: ";").map { $0.filter { !$0.isWhitespace } }
        guard parts.first == "audio/l16" else { return nil }
        let value = { (name: String) -> Int? in
            parts.dropFirst().first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
        }
        try self.init(rate: value("rate") ?? rateUsual, channels: value("channels") ?? 1)
    }
}
