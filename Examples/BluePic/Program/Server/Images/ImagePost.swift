//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitServer
import HTTPTypes

/// An image to add to the feed: the members of a request.
struct ImagePost: Sendable {
    /// The maximum length of a request with a picture in Base64 or in a form, in bytes.
    static let bodyBytesMax = PictureStorage.fileBytesMax / 3 * 4 + (64 << 10)
    private static let captionLengthMax = 1_000
    private static let nameLengthMax = 200

    /// The id; `nil` if the client chose none.
    let id: String?
    let caption: String
    let fileName: String
    let deviceId: String?
    /// The owner that the request names.
    let userId: String?
    /// The time of the upload, in GMT. Only an administrator may specify it.
    let uploaded: String?
    let location: JSONValue?
    let tags: [JSONValue]
    /// The picture; `nil` if it was uploaded before.
    let file: [UInt8]?

    /// Reads the body of a request: a form with a file, or JSON that may contain the picture in Base64.
    ///
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 400 for members that are not valid, or 413 for a too long
    ///   picture.
    init(_ request: ServerRequest) async throws {
        guard request.isForm else {
            let bytes = try await request.collectBody(bytesMax: Self.bodyBytesMax)
            guard let members = (try? JSONValue(parsing: bytes))?.objectValue else {
                throw Self.invalid("The body must be a JSON object or a form.")
            }
            try self.init(members, file: try Self.decoded(members["image"]?.stringValue))
            return
        }
        let fields = try await request.collectForm(bytesMax: Self.bodyBytesMax)
        var (members, file): (JSONObject, [UInt8]?) = ([:], nil)
        for field in fields {
            if field.filename != nil {
                file = field.bytes
                if let name = field.filename, members["fileName"] == nil { members["fileName"] = .string(name) }
            } else if field.name == "imageJson" || field.name == "imageDictionary" {
                guard let object = (try? JSONValue(parsing: field.bytes))?.objectValue else {
                    throw Self.invalid("The field \(field.name) must be a JSON object.")
                }
                for (name, value) in object { members[name] = value }
            } else {
                members[field.name] =
                    field.name == "location" ? try? JSONValue(parsing: field.bytes) : .string(field.text)
            }
        }
        guard let file else { throw Self.invalid("The form needs the field image, a file.") }
        try self.init(members, file: file)
    }

    private init(_ members: JSONObject, file: [UInt8]?) throws(HTTPFailure) {
        let text = { (names: [String], lengthMax: Int) throws(HTTPFailure) -> String? in
            guard let name = names.first(where: { members[$0]?.stringValue != nil }) else { return nil }
            let value = members[name]?.stringValue ?? ""
            guard value.count <= lengthMax else {
                throw Self.invalid("\(name) is longer than \(lengthMax) characters.")
            }
            return value
        }
        id = try text(["id", "_id"], Self.nameLengthMax)
        if let id, !Self.isID(id) {
            throw Self.invalid("The id must have 4 to 64 letters, digits and hyphens.")
        }
        caption = try text(["caption"], Self.captionLengthMax) ?? ""
        fileName = try text(["fileName"], Self.nameLengthMax) ?? ""
        deviceId = try text(["deviceId"], Self.nameLengthMax)
        userId = try text(["userId", "ownerID"], Self.nameLengthMax)
        uploaded = try text(["uploadedTs"], 19)
        if let uploaded, uploaded.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/) == nil {
            throw Self.invalid("uploadedTs must be a time such as 2026-11-27T08:30:00.")
        }
        location = try Self.location(members["location"])
        tags = try Self.tags(members["tags"])
        self.file = file
        if let file, file.count > PictureStorage.fileBytesMax {
            throw HTTPFailure(
                .contentTooLarge, "too_large", "The picture has more than \(PictureStorage.fileBytesMax >> 20) MB.")
        }
    }

    /// Whether a client may choose a text as the id of an image.
    static func isID(_ text: String) -> Bool {
        4...64 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func decoded(_ text: String?) throws(HTTPFailure) -> [UInt8]? {
        guard let text, !text.isEmpty else { return nil }
        // A browser may send a data URL, in which a media type and a comma precede the Base64 digits.
        let digits = text.hasPrefix("data:") ? String(text.drop { $0 != "," }.dropFirst()) : text
        guard let data = Data(base64Encoded: digits, options: .ignoreUnknownCharacters), !data.isEmpty else {
            throw invalid("image must be a picture in Base64.")
        }
        return Array(data)
    }

    private static func location(_ value: JSONValue?) throws(HTTPFailure) -> JSONValue? {
        guard let value, value != .null else { return nil }
        guard let latitude = value["latitude"]?.doubleValue, let longitude = value["longitude"]?.doubleValue,
            -90...90 ~= latitude, -180...180 ~= longitude
        else { throw invalid("location needs latitude and longitude in degrees.") }
        var members: JSONObject = ["latitude": .double(latitude), "longitude": .double(longitude)]
        if let name = value["name"]?.stringValue { members["name"] = .string(String(name.prefix(nameLengthMax))) }
        return .object(members)
    }

    private static func tags(_ value: JSONValue?) throws(HTTPFailure) -> [JSONValue] {
        var tags: [JSONValue] = []
        for tag in value?.arrayValue ?? [] {
            guard let label = tag["label"]?.stringValue, !label.isEmpty, label.count <= nameLengthMax,
                tags.count < ImageTag.countMax
            else { throw invalid("tags must be at most \(ImageTag.countMax) objects with a label.") }
            tags.append(ImageTag(label: label, confidence: tag["confidence"]?.intValue ?? 100).json)
        }
        return tags
    }

    private static func invalid(_ reason: String) -> HTTPFailure { HTTPFailure(.badRequest, "bad_request", reason) }
}
