//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitStore

/// An image of the feed: a document of the database.
struct FeedImage: Sendable {
    /// The value of the member `type`.
    static let type = "image"

    let id: String
    let revision: String?
    var body: JSONObject

    /// Reads a document. `nil` if it is not an image.
    init?(_ document: Document) {
        guard let id = document.id, document.body["type"]?.stringValue == FeedImage.type else { return nil }
        (self.id, revision, body) = (id, document.revision?.description, document.body)
    }

    /// The name of the owner.
    var owner: String { text("userId") }
    var caption: String { text("caption") }
    var ownerName: String { text("userName") }
    /// The time of the upload, `yyyy-MM-dd'T'HH:mm:ss` in GMT.
    var uploaded: String { text("uploadedTs") }
    /// The position in the feed. If images are sorted by this text, they are in the order of their times. No two images
    /// have the same position.
    var order: String { text("order") }
    /// The SHA-256 of the picture, in hexadecimal digits.
    var digest: String { text("digest") }
    var width: Int { body["width"]?.intValue ?? 0 }
    var height: Int { body["height"]?.intValue ?? 0 }
    var tags: [String] { (body["tags"]?.arrayValue ?? []).compactMap { $0["label"]?.stringValue } }
    var placeName: String? { body["location"]?["name"]?.stringValue }

    /// Whether a user is the owner. Names are compared by bytes: names that only look alike are different users.
    func isOwned(by user: String) -> Bool { owner.utf8.elementsEqual(user.utf8) }

    private func text(_ member: String) -> String { body[member]?.stringValue ?? "" }

    /// Returns the image as JSON of the API of 2019.
    ///
    /// - Parameter userName: The current full name of the owner.
    func json(userName: String?) -> JSONValue {
        var members = body
        for name in ["order", "digest", "userName", "sourceDigest", "isProcessed"] { members[name] = nil }
        members["_id"] = .string(id)
        members["_rev"] = revision.map { .string($0) } ?? .null
        members["url"] = .string("/pictures/\(id)")
        members["thumbnail"] = .string("/pictures/\(id)/thumbnail")
        members["user"] = Profile.json(id: owner, name: userName ?? ownerName)
        return .object(members)
    }

    /// Returns the position for a time and an id.
    ///
    /// - Parameter uploaded: The time in GMT, `yyyy-MM-dd'T'HH:mm:ss` with or without a fraction.
    static func order(_ uploaded: String, _ id: String) -> String { "\(uploaded) \(id)" }
}

/// A user of the feed: the part of an account that everyone may see.
struct Profile: Sendable {
    static let type = "user"
    private static let prefix = "user:"

    /// The name of the account.
    let id: String
    /// The full name.
    let name: String
    /// The id of the image that is the picture of the user; `nil` for none.
    let picture: String?
    let revision: String?

    /// The range of the ids of profile documents.
    static let range = IDRange(lower: prefix, upper: "user;", upperIsIncluded: false)

    static func documentID(_ id: String) -> String { prefix + id }

    /// Reads a document. `nil` if it is not a profile.
    init?(_ document: Document) {
        guard let id = document.id, id.utf8.starts(with: Profile.prefix.utf8),
            document.body["type"]?.stringValue == Profile.type
        else { return nil }
        self.id = String(decoding: id.utf8.dropFirst(Profile.prefix.utf8.count), as: UTF8.self)
        name = document.body["name"]?.stringValue ?? self.id
        picture = document.body["picture"]?.stringValue
        revision = document.revision?.description
    }

    var json: JSONValue {
        guard case .object(var members) = Profile.json(id: id, name: name) else { return .null }
        members["_rev"] = revision.map { .string($0) } ?? .null
        if picture != nil { members["picture"] = .string("/users/\(id)/picture") }
        return .object(members)
    }

    static func json(id: String, name: String) -> JSONValue {
        ["_id": .string(id), "name": .string(name), "type": .string(type)]
    }
}

/// The full names of users. The names of their accounts are compared by bytes, so that no user gets the full name of
/// another user.
struct FullNames: Sendable {
    private var names: [[UInt8]: String] = [:]

    init(_ profiles: [Profile]) {
        for profile in profiles { names[Array(profile.id.utf8)] = profile.name }
    }

    /// Returns the full name of a user; `nil` if it is not known.
    subscript(user: String) -> String? { names[Array(user.utf8)] }
}

extension Date {
    /// The time as `yyyy-MM-dd'T'HH:mm:ss` in GMT.
    var uploadedText: String { String(fractionText.prefix(19)) }

    /// The time as `yyyy-MM-dd'T'HH:mm:ss.SSS` in GMT.
    var fractionText: String {
        formatted(.iso8601.year().month().day().dateTimeSeparator(.standard).time(includingFractionalSeconds: true))
    }
}
