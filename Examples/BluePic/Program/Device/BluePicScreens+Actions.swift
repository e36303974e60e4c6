//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import BluePicCore
import DeviceKit
import Foundation
import GodwitDatabase
import ProgramKit

extension BluePicScreens {
    /// See ``DeviceApp/perform(_:_:)``.
    func perform(_ action: String, _ arguments: JSONObject) async throws(DeviceError) -> JSONObject {
        switch action {
        case "unlock": try await model.unlock(try arguments.text("passphrase"))
        case "register":
            try await model.signIn(
                try arguments.text("name"), password: try arguments.text("password"), registering: true,
                fullName: arguments["fullName"]?.stringValue)
        case "signIn": try await model.signIn(try arguments.text("name"), password: try arguments.text("password"))
        case "later": try await model.signInLater()
        case "welcome": try await model.showSignIn()
        case "signOut": try await model.signOut()
        case "post": try await model.post(try arguments.text("id"), caption: try arguments.text("caption"))
        case "retry": try await model.retry(try arguments.text("id"))
        case "remove": try await model.remove(try arguments.text("id"))
        case "rename": try await model.rename(try arguments.text("name"))
        case "setPicture": try await model.setProfilePicture(try arguments.text("id"))
        case "refresh": await model.retryNow()
        default: throw DeviceError(.notFound, "There is no action \(action).")
        }
        return [:]
    }
}

extension BluePicModel {
    /// Returns the state of the screens as JSON.
    func screens() -> JSONValue {
        let text = { (value: String?) in value.map { JSONValue.string($0) } ?? .null }
        return [
            "stage": .string(stage.rawValue), "user": text(user), "server": .string(server), "busy": text(busy),
            "logins": [["id": "password", "kind": "password", "title": "password"]], "challenge": .null,
            "loginFailure": .null, "posts": .array(posts.map(\.screen)), "feedVersion": .integer(Int64(feedVersion)),
            "isComplete": .bool(isComplete), "isOnline": .bool(isOnline), "trouble": text(trouble),
            "profile": [
                "name": text(profileName), "picture": text(profilePicture), "count": .integer(Int64(imageCount)),
            ],
            "notice": notice?.screen ?? .null,
        ]
    }
}

extension QueuedPost {
    /// The post as JSON for the page.
    fileprivate var screen: JSONValue {
        [
            "id": .string(id), "stage": .string(stage.rawValue), "isUploaded": .bool(isUploaded),
            "caption": .string(caption), "width": .integer(Int64(width)), "height": .integer(Int64(height)),
            "time": .double(created.timeIntervalSince1970), "refusal": refusal.map { .string($0) } ?? .null,
        ]
    }
}
