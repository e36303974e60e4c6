//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import Foundation
public import GodwitJSON

/// The data of a photo: the members of its document.
public struct PhotoEntry: Equatable, Sendable {
    /// The member `type` of each photo.
    public static let type = "com.geopix.entry"

    /// The time at which the photo was taken, in seconds since 1970.
    public var sort: Double
    /// The time in words: the short date and the complete time of the user's language. Empty if the document has none.
    public var clientDate: String
    /// The latitude in degrees; `nil` if the place is not known.
    public var latitude: Double?
    /// The longitude in degrees; `nil` if the place is not known.
    public var longitude: Double?
    /// The altitude in meters; `nil` if it is not known.
    public var altitude: Double?
    /// The direction of the movement in degrees from north; `nil` if it is not known.
    public var course: Double?
    /// The user's text; `nil` if there is none.
    public var caption: String?

    /// Creates the data of a photo.
    ///
    /// - Parameters:
    ///   - sort: The time at which the photo was taken, in seconds since 1970.
    ///   - place: The place; `nil` if it is not known.
    ///   - caption: The user's text. It is cut after ``captionLengthMax`` characters; an empty text is no caption.
    public init(at sort: Double, place: PhotoPlace?, caption: String? = nil) {
        self.sort = sort
        clientDate = PhotoEntry.words(for: sort)
        (latitude, longitude) = (place?.latitude, place?.longitude)
        (altitude, course) = (place?.altitude, place?.course)
        self.caption = caption.flatMap { $0.isEmpty ? nil : PhotoEntry.shortened($0) }
    }

    /// Reads the data from the body of a document; `nil` if the document is not a photo.
    public init?(_ body: JSONObject) {
        guard body["type"]?.stringValue == PhotoEntry.type, let sort = body["sort"]?.doubleValue else { return nil }
        self.sort = sort
        clientDate = body["clientDate"]?.stringValue ?? ""
        (latitude, longitude) = (body["latitude"]?.doubleValue, body["longitude"]?.doubleValue)
        (altitude, course) = (body["altitude"]?.doubleValue, body["course"]?.doubleValue)
        caption = body["caption"]?.stringValue
    }

    /// The maximum length of a caption, in characters. For a caption with emoji, the maximum can be lower, because the
    /// server refuses captions with more than 1 000 UTF-16 units.
    public static let captionLengthMax = 500
    private static let captionUnitsMax = 1_000

    /// Returns the part of a caption that is not too long.
    static func shortened(_ caption: String) -> String {
        var part = caption.prefix(captionLengthMax)
        while part.utf16.count > captionUnitsMax { part.removeLast() }
        return String(part)
    }

    /// The document's body: the seven members that the original app stored, and the caption if there is one.
    public var body: JSONObject {
        let number = { (value: Double?) in value.map { JSONValue.double($0) } ?? .null }
        var body: JSONObject = [
            "sort": .double(sort), "clientDate": .string(clientDate), "latitude": number(latitude),
            "longitude": number(longitude), "altitude": number(altitude), "course": number(course),
            "type": .string(PhotoEntry.type),
        ]
        if let caption { body["caption"] = .string(caption) }
        return body
    }

    private static func words(for seconds: Double) -> String {
        let formatter = DateFormatter()
        (formatter.dateStyle, formatter.timeStyle) = (.short, .full)
        return formatter.string(from: Date(timeIntervalSince1970: seconds))
    }
}

extension PhotoPlace {
    /// The place in words: `Lat: +47.37690, Lon: +8.54170`.
    public var label: String { String(format: "Lat: %+.5f, Lon: %+.5f", latitude, longitude) }
}
