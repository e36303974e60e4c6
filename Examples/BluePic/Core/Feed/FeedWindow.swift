//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitDatabase

/// The part of the feed that a device has: the newest images, and everything of its user.
///
/// The window begins at the time of an image. A new window, with a later begin, is made when the device has twice as many
/// images as it wants; so the selector of the replication, and with it its checkpoint, changes seldom.
struct FeedWindow: Equatable, Sendable {
    /// The number of images of a new window.
    static let imagesCount = 200
    /// The number of images in the window from which it is made new.
    static let imagesMax = 2 * imagesCount

    /// The time of the oldest image in the window, as its member `uploadedTs`; empty for all images.
    var begin: String
    /// The user whose images and profile are in it, whatever their time; `nil` for a guest.
    var user: String?

    /// The selector of the replication.
    var selector: JSONValue {
        let newest: JSONValue = ["type": "image", "uploadedTs": ["$gte": .string(begin)]]
        guard let user else { return newest }
        return ["$or": [newest, ["type": "image", "userId": .string(user)], ["_id": .string("user:\(user)")]]]
    }
}
