//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPhotoPixels
import CTurboJPEG

/// Decodes and encodes JPEG.
enum JPEGCoder {
    /// Decodes a file. If the longest side of the picture is longer than `longestSide`, the picture may be decoded in a
    /// smaller size, because this takes less time and memory. In this case, the longest side of the result is still at
    /// least `longestSide`. In all other cases, the result has the size of the original.
    static func decode(_ file: [UInt8], longestSide: Int?, _ limits: PhotoLimits) throws(PhotoError) -> Raster {
        guard let handle = tjInitDecompress() else { throw unavailable }
        defer { tjDestroy(handle) }
        var (width, height, subsampling, colors) = (Int32(), Int32(), Int32(), Int32())
        let length = UInt(file.count)
        guard tjDecompressHeader3(handle, file, length, &width, &height, &subsampling, &colors) == 0 else {
            throw damaged(handle)
        }
        try limits.check(width: Int(width), height: Int(height))
        if let longestSide {
            let factor = factor(from: Int(max(width, height)), to: longestSide)
            (width, height) = (scaled(width, factor), scaled(height, factor))
        }
        let isCMYK = colors == TJCS_CMYK.rawValue || colors == TJCS_YCCK.rawValue
        let format = isCMYK ? TJPF_CMYK : TJPF_RGB
        let count = Int(width) * Int(height) * (isCMYK ? 4 : Raster.channels)
        var isComplete = true
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let result = tjDecompress2(
                handle, file, length, buffer.baseAddress, width, 0, height, format.rawValue, TJFLAG_LIMITSCANS)
            // A warning because of additional bytes is not an error, because some cameras write such bytes.
            isComplete = result == 0 || (tjGetErrorCode(handle) == TJERR_WARNING.rawValue && !isCut(handle))
            if !isComplete { buffer.initialize(repeating: 0) }
            filled = count
        }
        guard isComplete else { throw damaged(handle) }
        guard isCMYK else { return Raster(width: Int(width), height: Int(height), pixels: pixels) }
        return Raster(
            width: Int(width), height: Int(height),
            filling: { godwit_pixels_from_cmyk(pixels, $0, Int64(width) * Int64(height)) })
    }

    /// Encodes a picture.
    ///
    /// - Parameter quality: The quality, 0 to 1.
    static func encode(_ raster: Raster, quality: Double) throws(PhotoError) -> [UInt8] {
        guard let handle = tjInitCompress() else { throw unavailable }
        defer { tjDestroy(handle) }
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, UInt) = (nil, 0)
        defer { tjFree(bytes) }
        let percent = Int32(max(0.01, min(1, quality)) * 100)
        let result = tjCompress2(
            handle, raster.pixels, Int32(raster.width), 0, Int32(raster.height), TJPF_RGB.rawValue, &bytes, &count,
            Int32(TJSAMP_420.rawValue), percent, 0)
        guard result == 0, let bytes else { throw PhotoError(.tooLarge, "No copy can be made: \(message(handle)).") }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// Returns the smallest scaling factor of the library that results in a side of at least `target` pixels. The
    /// factor is at most 1.
    private static func factor(from side: Int, to target: Int) -> tjscalingfactor {
        var count = Int32()
        let factors = UnsafeBufferPointer(start: tjGetScalingFactors(&count), count: Int(count))
        let fitting = factors.filter { $0.num <= $0.denom && Int(scaled(Int32(side), $0)) >= min(target, side) }
        return fitting.min { $0.num * $1.denom < $1.num * $0.denom } ?? tjscalingfactor(num: 1, denom: 1)
    }

    private static func scaled(_ side: Int32, _ factor: tjscalingfactor) -> Int32 {
        (side * factor.num + factor.denom - 1) / factor.denom
    }

    private static func message(_ handle: tjhandle) -> String { String(cString: tjGetErrorStr2(handle)) }

    private static func isCut(_ handle: tjhandle) -> Bool { message(handle).contains("Premature end") }

    private static func damaged(_ handle: tjhandle) -> PhotoError {
        PhotoError(.damaged, "The JPEG picture is damaged or incomplete: \(message(handle)).")
    }

    private static var unavailable: PhotoError { PhotoError(.unavailable, "JPEG pictures cannot be processed now.") }
}
