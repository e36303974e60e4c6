//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Makes copies of pictures. The app on Linux uses `PhotoKit`. An app on Apple's systems can use ImageIO.
public protocol PhotoProcessor: Sendable {
    /// Returns an upright copy of a picture as JPEG, without the data of the camera.
    ///
    /// - Parameters:
    ///   - file: A JPEG or PNG file.
    ///   - longestSide: The maximum width and height of the copy in pixels; `nil` for the size of the original.
    ///   - quality: The quality, 0 to 1.
    /// - Throws: ``DeviceError`` with code `unsupported`, `tooLarge` or `input` if the file is not a usable picture, or
    ///   `storage` if pictures cannot be processed now.
    func copy(of file: [UInt8], longestSide: Int?, quality: Double) async throws(DeviceError) -> ProcessedPhoto
}

/// A copy of a picture, and the data that the camera wrote into the original.
public struct ProcessedPhoto: Sendable {
    /// The copy as JPEG.
    public var jpeg: [UInt8]
    /// The width of the copy in pixels.
    public var width: Int
    /// The height of the copy in pixels.
    public var height: Int
    /// The time at which the picture was taken, in seconds since 1970; `nil` if it is not known.
    public var takenAt: Double?
    /// The place at which the picture was taken; `nil` if it is not known.
    public var place: PhotoPlace?

    /// Creates a copy.
    public init(jpeg: [UInt8], width: Int = 0, height: Int = 0, takenAt: Double? = nil, place: PhotoPlace? = nil) {
        (self.jpeg, self.width, self.height) = (jpeg, width, height)
        (self.takenAt, self.place) = (takenAt, place)
    }
}
