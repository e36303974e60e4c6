//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPNG

/// Decodes PNG. Transparent parts become white.
enum PNGDecoder {
    static func decode(_ file: [UInt8], _ limits: PhotoLimits) throws(PhotoError) -> Raster {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        // The bytes must not move between the two calls of the library, because both use the same pointer.
        return try file.withUnsafeBufferPointer { (bytes) throws(PhotoError) -> Raster in
            guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else {
                throw damaged(image)
            }
            try limits.check(width: Int(image.width), height: Int(image.height))
            image.format = png_uint_32(PNG_FORMAT_RGB)
            var (white, isComplete) = (png_color(red: 255, green: 255, blue: 255), true)
            let raster = Raster(width: Int(image.width), height: Int(image.height)) {
                isComplete = png_image_finish_read(&image, &white, $0, 0, nil) != 0
            }
            guard isComplete else { throw damaged(image) }
            return raster
        }
    }

    private static func damaged(_ image: png_image) -> PhotoError {
        let reason = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return PhotoError(.damaged, "The PNG picture is damaged or incomplete: \(reason).")
    }
}
