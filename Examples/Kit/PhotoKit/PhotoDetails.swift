//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The data that a camera wrote into a picture, and the size of the upright copy.
public struct PhotoDetails: Codable, Equatable, Sendable {
    /// The place at which a picture was taken.
    public struct Place: Codable, Equatable, Sendable {
        /// The latitude in degrees.
        public var latitude: Double
        /// The longitude in degrees.
        public var longitude: Double
        /// The altitude in meters; `nil` if it is not known.
        public var altitude: Double?
        /// The direction of the movement in degrees from north; `nil` if it is not known.
        public var course: Double?
    }

    /// The width of the upright copy in pixels.
    public var width: Int
    /// The height of the upright copy in pixels.
    public var height: Int
    /// The local time at which the picture was taken, in the format of EXIF, `2026:05:01 13:04:05`; `nil` if it is not
    /// known.
    public var time: String?
    /// The offset of the local time from UTC, such as `+02:00`; `nil` if it is not known.
    public var timeOffset: String?
    /// The place; `nil` if it is not known.
    public var place: Place?
}

/// A copy of a picture.
public struct PhotoCopy: Equatable, Sendable {
    /// The copy as JPEG. It contains no data of the camera: neither a place nor a time.
    public let jpeg: [UInt8]
    /// The size of the copy, and the data that the camera wrote into the original.
    public let details: PhotoDetails
}

/// The form of a copy of a picture.
public struct PhotoForm: Codable, Equatable, Sendable {
    /// The maximum width and height in pixels; `nil` for the size of the original. A picture is never enlarged.
    public var longestSide: Int?
    /// The quality of the JPEG, 0 to 1.
    public var quality: Double

    /// Creates a form.
    public init(longestSide: Int? = nil, quality: Double) { (self.longestSide, self.quality) = (longestSide, quality) }
}
