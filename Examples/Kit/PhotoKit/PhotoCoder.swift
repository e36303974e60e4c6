//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decodes JPEG and PNG pictures, and encodes upright copies as JPEG.
///
/// Pictures from untrusted sources must be decoded in a separate process: use ``PhotoWorkers``.
public enum PhotoCoder {
    /// Returns an upright copy of a picture.
    ///
    /// - Parameters:
    ///   - file: A JPEG or PNG file.
    ///   - form: The form of the copy.
    ///   - limits: The limits for the file and its pixels. The limits for time, memory and waiting are not checked
    ///     here.
    /// - Throws: ``PhotoError`` for a file that is not a picture, is damaged or exceeds a limit.
    public static func copy(
        of file: [UInt8], as form: PhotoForm, limits: PhotoLimits = PhotoLimits()
    ) throws(PhotoError) -> PhotoCopy {
        guard file.count <= limits.fileBytesMax else {
            throw PhotoError(.tooLarge, "The file has more than \(limits.fileBytesMax >> 20) MB. Choose a smaller one.")
        }
        var (raster, exif): (Raster, CameraData?)
        switch PhotoFormat(of: file) {
        case .jpeg:
            exif = CameraData(of: file)
            raster = try JPEGCoder.decode(file, longestSide: form.longestSide, limits)
        case .png: (raster, exif) = (try PNGDecoder.decode(file, limits), nil)
        case nil:
            throw PhotoError(
                .unknownFormat, "The file is no JPEG or PNG picture. Choose a file of one of these formats.")
        }
        if let longestSide = form.longestSide { raster = raster.shrunk(to: max(1, longestSide)) }
        if let orientation = exif?.orientation { raster = raster.upright(from: orientation) }
        let details = PhotoDetails(
            width: raster.width, height: raster.height, time: exif?.time, timeOffset: exif?.timeOffset,
            place: exif?.place)
        return PhotoCopy(jpeg: try JPEGCoder.encode(raster, quality: form.quality), details: details)
    }
}

/// The format of a picture. It is recognized by the first bytes of the file.
enum PhotoFormat {
    case jpeg, png

    init?(of file: [UInt8]) {
        if file.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else {
            return nil
        }
    }
}

extension PhotoLimits {
    /// Checks the size of a picture, before memory is allocated for it.
    func check(width: Int, height: Int) throws(PhotoError) {
        guard width > 0, height > 0 else { throw PhotoError(.damaged, "The picture has no pixels.") }
        guard width <= sideMax, height <= sideMax, width * height <= pixelsMax else {
            throw PhotoError(
                .tooLarge,
                "The picture has \(width) x \(height) pixels, more than \(pixelsMax / 1_000_000) million or "
                    + "\(sideMax) on a side. Choose a smaller one.")
        }
    }
}
