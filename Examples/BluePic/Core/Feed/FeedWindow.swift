//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitDatabase

/// The part of the feed that a device has: the newest images, and all documents of its user.
///
/// The window begins at the time of an image. When the device has ``imagesMax`` images, a new window with a later start
/// is created. Therefore the selector of the replication changes only rarely. Rare changes are better, because each new
/// selector needs a new checkpoint.
struct FeedWindow: Equatable, Sendable {
    /// The number of images of a new window.
    static let imagesCount = 200
    /// The number of images in the window at which a new window is created.
    static let imagesMax = 2 * imagesCount

    /// The time of the oldest image in the window, in the format of the member `uploadedTs`. If it is empty, the window
    /// contains all images.
    var begin: String
    /// The user of the device; `nil` for a guest. The window contains all images of this user, also older ones, and the
    /// user's profile.
    var user: String?

    /// The selector of the replication.
    var selector: JSONValue {
        let newest: JSONValue = ["type": "image", "uploadedTs": ["$gte": .string(begin)]]
        guard let user else { return newest }
        return ["$or": [newest, ["type": "image", "userId": .string(user)], ["_id": .string("user:\(user)")]]]
    }
}
