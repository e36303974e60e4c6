//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import COgg
import COpus

/// Writes audio of one channel as Opus in Ogg (RFC 7845).
struct OpusFile: ~Copyable {
    /// The rate of the samples.
    static let rate = 24_000
    /// The number of samples of a packet, which contains 20 ms.
    private static let packetCount = rate / 50
    /// Positions in an Ogg file count samples at a rate of 48 000 per second.
    private static let positionsPerSample = Int64(48_000 / rate)
    private static let packetBytesMax = 4_000
    private static let streamNumber: Int32 = 1

    private let encoder: OpaquePointer
    private var stream = ogg_stream_state()
    private var bytes: [UInt8] = []
    private var number: Int64 = 0
    private var position: Int64 = 0

    /// Returns a file with samples.
    ///
    /// - Returns: `nil` if the encoder cannot be created.
    static func file(of samples: [Int16]) -> [UInt8]? {
        guard var file = OpusFile() else { return nil }
        return file.encode(samples)
    }

    private init?() {
        guard let encoder = opus_encoder_create(Int32(Self.rate), 1, OPUS_APPLICATION_VOIP, nil) else { return nil }
        self.encoder = encoder
        ogg_stream_init(&stream, Self.streamNumber)
    }

    deinit {
        opus_encoder_destroy(encoder)
        var stream = stream
        ogg_stream_clear(&stream)
    }

    private mutating func encode(_ samples: [Int16]) -> [UInt8] {
        var lookahead: Int32 = 0
        _ = godwit_opus_lookahead(encoder, &lookahead)
        let skipped = Int64(lookahead) * Self.positionsPerSample
        add(Self.head(skipped: skipped), at: 0, endsPage: true)
        add(Self.tags, at: 0, endsPage: true)
        // The encoder delays the samples. At the end, silence is encoded until all samples are in the file.
        let needed = samples.count + Int(lookahead)
        let packetsCount = max(1, (needed + Self.packetCount - 1) / Self.packetCount)
        let end = skipped + Int64(samples.count) * Self.positionsPerSample
        for index in 0..<packetsCount {
            let start = index * Self.packetCount
            var piece =
                start < samples.count ? Array(samples[start..<min(start + Self.packetCount, samples.count)]) : []
            piece += [Int16](repeating: 0, count: Self.packetCount - piece.count)
            let packet = [UInt8](unsafeUninitializedCapacity: Self.packetBytesMax) { buffer, count in
                guard let start = buffer.baseAddress else { return }
                count = Int(max(0, opus_encode(encoder, piece, Int32(Self.packetCount), start, Int32(buffer.count))))
            }
            let isLast = index == packetsCount - 1
            position += Int64(Self.packetCount) * Self.positionsPerSample
            add(packet, at: isLast ? min(end, position) : position, isLast: isLast)
        }
        return bytes
    }

    private mutating func add(
        _ packet: [UInt8], at position: Int64, endsPage: Bool = false, isLast: Bool = false
    ) {
        var content = packet
        content.withUnsafeMutableBufferPointer { buffer in
            var entry = ogg_packet()
            (entry.packet, entry.bytes) = (buffer.baseAddress, buffer.count)
            (entry.b_o_s, entry.e_o_s) = (number == 0 ? 1 : 0, isLast ? 1 : 0)
            (entry.granulepos, entry.packetno) = (position, number)
            ogg_stream_packetin(&stream, &entry)
        }
        number += 1
        var page = ogg_page()
        while (endsPage || isLast ? ogg_stream_flush(&stream, &page) : ogg_stream_pageout(&stream, &page)) != 0 {
            bytes += UnsafeBufferPointer(start: page.header, count: page.header_len)
            bytes += UnsafeBufferPointer(start: page.body, count: page.body_len)
        }
    }

    private static func head(skipped: Int64) -> [UInt8] {
        var head = Array("OpusHead".utf8) + [1, 1]
        withUnsafeBytes(of: UInt16(skipped).littleEndian) { head += $0 }
        withUnsafeBytes(of: UInt32(rate).littleEndian) { head += $0 }
        return head + [0, 0, 0]
    }

    private static var tags: [UInt8] {
        let vendor = Array("godwit".utf8)
        return Array("OpusTags".utf8) + [UInt8(vendor.count), 0, 0, 0] + vendor + [0, 0, 0, 0]
    }
}
