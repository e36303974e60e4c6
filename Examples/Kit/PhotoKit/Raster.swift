//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPhotoPixels

/// The pixels of a picture: 8 bits for each of red, green and blue, row after row.
struct Raster {
    static let channels = 3

    let width: Int
    let height: Int
    let pixels: [UInt8]

    /// Returns the picture, made smaller if necessary so that neither side is longer than `longestSide`.
    func shrunk(to longestSide: Int) -> Raster {
        let longest = max(width, height)
        guard longest > longestSide else { return self }
        let newWidth = max(1, width * longestSide / longest)
        let newHeight = max(1, height * longestSide / longest)
        return Raster(
            width: newWidth, height: newHeight,
            filling: {
                godwit_pixels_shrink(pixels, Int32(width), Int32(height), $0, Int32(newWidth), Int32(newHeight))
            })
    }

    /// Returns the upright picture.
    ///
    /// - Parameter orientation: The orientation of EXIF, 2 to 8; any other number returns the picture unchanged.
    func upright(from orientation: Int) -> Raster {
        guard (2...8).contains(orientation) else { return self }
        let swaps = orientation >= 5
        return Raster(
            width: swaps ? height : width, height: swaps ? width : height,
            filling: { godwit_pixels_orient(pixels, Int32(width), Int32(height), Int32(orientation), $0) })
    }

    init(width: Int, height: Int, pixels: [UInt8]) {
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    /// Creates a picture whose pixels `fill` writes.
    init(width: Int, height: Int, filling fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        let count = width * height * Raster.channels
        self.init(
            width: width, height: height,
            pixels: [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                if let start = buffer.baseAddress { fill(start) }
                filled = count
            })
    }
}
