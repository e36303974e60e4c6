//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSoxr

/// Changes the rate of a stream of samples of one channel.
struct Resampler: ~Copyable {
    private static let pieceCount = 4_096

    private let stream: soxr_t?
    private let ratio: Double

    /// - Parameters:
    ///   - rate: The rate of the input.
    ///   - newRate: The rate of the output.
    init(from rate: Int, to newRate: Int) {
        ratio = Double(newRate) / Double(rate)
        guard rate != newRate else {
            stream = nil
            return
        }
        var form = soxr_io_spec(SOXR_INT16_I, SOXR_INT16_I)
        stream = soxr_create(Double(rate), Double(newRate), 1, nil, &form, nil, nil)
        // Without a filter, the samples would silently keep their rate. Instead, this process ends, and the program
        // that uses the process gets an error.
        precondition(stream != nil, "The filter for the rate of audio cannot be created.")
    }

    deinit { if let stream { soxr_delete(stream) } }

    /// Returns the samples that are complete. The filter keeps some of the last samples until more samples follow.
    func add(_ samples: [Int16]) -> [Int16] { stream == nil ? samples : process(samples, isLast: false) }

    /// Returns the last samples.
    func finish() -> [Int16] { stream == nil ? [] : process([], isLast: true) }

    private func process(_ samples: [Int16], isLast: Bool) -> [Int16] {
        var (output, used) = ([Int16](), 0)
        output.reserveCapacity(Int(Double(samples.count) * ratio) + Self.pieceCount)
        while true {
            var (usedNow, madeNow) = (0, 0)
            let piece = [Int16](unsafeUninitializedCapacity: Self.pieceCount) { buffer, count in
                samples.withUnsafeBufferPointer { input in
                    // If the input is `nil`, the filter returns the samples that it kept.
                    let start = isLast ? nil : input.baseAddress.map { UnsafeRawPointer($0 + used) }
                    _ = soxr_process(
                        stream, start, isLast ? 0 : samples.count - used, &usedNow, buffer.baseAddress, Self.pieceCount,
                        &madeNow)
                }
                count = madeNow
            }
            output += piece
            used += usedNow
            guard madeNow == Self.pieceCount || (!isLast && used < samples.count && usedNow > 0) else { return output }
        }
    }
}

/// Converts samples of an ``AudioForm`` to samples of one channel with 16 bits.
struct SampleReader {
    private let form: AudioForm
    /// The bytes of an incomplete sample.
    private var rest: [UInt8] = []

    init(_ form: AudioForm) { self.form = form }

    /// Returns the samples of a piece. If there are two channels, the samples of both are averaged.
    mutating func samples(of piece: [UInt8]) -> [Int16] {
        let bytes = rest.isEmpty ? piece : rest + piece
        let frameBytes = form.frameBytes
        let count = bytes.count / frameBytes
        rest = Array(bytes[(count * frameBytes)...])
        return (0..<count).map { frame in
            let start = frame * frameBytes
            let sum = (0..<form.channels).reduce(0) { $0 + sample(bytes, start + $1 * form.bits / 8) }
            return Int16(sum / form.channels)
        }
    }

    private func sample(_ bytes: [UInt8], _ position: Int) -> Int {
        form.bits == 8
            ? (Int(bytes[position]) - 128) << 8
            : Int(Int16(bitPattern: UInt16(bytes[position]) | UInt16(bytes[position + 1]) << 8))
    }
}
