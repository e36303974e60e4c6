//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitDatabase

/// The part of the feed that is on a device. It contains the newest images, and all documents of the user of the
/// device.
///
/// The window begins at the time of an image. When the window contains ``imagesMax`` images, a new window with a later
/// start replaces it. Therefore the selector of the replication changes only rarely. This is important, because each
/// new selector needs a new checkpoint.
struct FeedWindow: Equatable, Sendable {
    /// The number of images of a new window.
    static let imagesCount = 200
    /// The number of images in the window at which a new window is created.
    static let imagesMax = 2 * imagesCount

    /// The time of the oldest image in the window, in the format of the member `uploadedTs`. If it is empty, the window
    /// contains all images.
    var begin: String
    /// The user of the device; `nil` for a guest. The window contains the profile of this user and all images of this
    /// user, even if they are older than ``begin``.
    var user: String?

    /// The selector of the replication.
    var selector: JSONValue {
        let newest: JSONValue = ["type": "image", "uploadedTs": ["$gte": .string(begin)]]
        guard let user else { return newest }
        return ["$or": [newest, ["type": "image", "userId": .string(user)], ["_id": .string("user:\(user)")]]]
    }
}
