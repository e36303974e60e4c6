//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import GodwitDatabase

/// A post of the device whose image is not yet in the feed of the device, or the removal of an image or a post.
public struct QueuedPost: Equatable, Sendable {
    /// The progress of a post.
    public enum Stage: String, Sendable {
        /// The user has chosen a picture and not yet pressed Post. The picture is already being uploaded.
        case draft
        /// The user has pressed Post.
        case posted
        /// The server has acknowledged the post, but the image is not yet in the feed of the device.
        case sent
        /// The user has deleted the post or the draft.
        case removing
        /// The server has acknowledged the removal, but the image may still be in the feed of the device.
        case removed
    }

    /// The id, which the device chose.
    public let id: String
    /// The name of the user's account.
    public let owner: String
    /// The progress.
    public var stage: Stage
    /// Whether the picture is on the server.
    public var isUploaded: Bool
    /// The text of the user.
    public var caption: String
    /// The name of the picture: `MM-dd-yyyy_HHmmss.JPG`.
    public var fileName: String
    /// The width of the picture in pixels.
    public var width: Int
    /// The height of the picture in pixels.
    public var height: Int
    /// The SHA-256 of the picture, in hexadecimal digits.
    public var digest: String
    /// The time at which the user chose the picture.
    public var created: Date
    /// The time at which the server acknowledged the post; `nil` before that.
    var acknowledged: Date?
    /// The reason why the server refuses the post; `nil` if the post is not refused.
    public var refusal: String?

    /// Whether the queue must still send a request for this post to the server.
    var isWaiting: Bool {
        guard refusal == nil else { return false }
        return switch stage {
        case .draft: !isUploaded
        case .posted, .removing: true
        case .sent, .removed: false
        }
    }

    /// Whether the user has removed the post or the image.
    var isRemoval: Bool { stage == .removing || stage == .removed }

    init(
        id: String, owner: String, fileName: String, width: Int, height: Int, digest: String, created: Date,
        stage: Stage = .draft
    ) {
        (self.id, self.owner, self.stage, isUploaded, caption) = (id, owner, stage, false, "")
        (self.fileName, self.width, self.height) = (fileName, width, height)
        (self.digest, self.created) = (digest, created)
    }

    /// Reads a document. `nil` if it is not a post.
    init?(_ document: Document) {
        let body = document.body
        guard let id = document.id, let stage = body["stage"]?.stringValue.flatMap({ Stage(rawValue: $0) }),
            let owner = body["owner"]?.stringValue
        else { return nil }
        self.init(
            id: id, owner: owner, fileName: body["fileName"]?.stringValue ?? "", width: body["width"]?.intValue ?? 0,
            height: body["height"]?.intValue ?? 0, digest: body["digest"]?.stringValue ?? "",
            created: Date(timeIntervalSince1970: body["created"]?.doubleValue ?? 0), stage: stage)
        isUploaded = body["isUploaded"]?.boolValue ?? false
        caption = body["caption"]?.stringValue ?? ""
        acknowledged = body["acknowledged"]?.doubleValue.map { Date(timeIntervalSince1970: $0) }
        refusal = body["refusal"]?.stringValue
    }

    /// The body of the document.
    var body: JSONObject {
        var body: JSONObject = [
            "stage": .string(stage.rawValue), "owner": .string(owner), "isUploaded": .bool(isUploaded),
            "caption": .string(caption), "fileName": .string(fileName), "width": .integer(Int64(width)),
            "height": .integer(Int64(height)), "digest": .string(digest),
            "created": .double(created.timeIntervalSince1970),
        ]
        if let acknowledged { body["acknowledged"] = .double(acknowledged.timeIntervalSince1970) }
        if let refusal { body["refusal"] = .string(refusal) }
        return body
    }
}
