//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitBackend
import GodwitJSON

extension Application {
    /// The Location Tracker: a database of locations for each user, one of all of them, and places that anybody may read.
    public static let locationTracker: Application = {
        let points = Contents(designs: ["points": ["st_indexes": ["pointidx": ["index": .string(pointFunction)]]]])
        var tracker = Application(
            id: "locationtracker", users: "lt_users", databasePrefix: "lt_locations_user_")
        tracker.database = points
        tracker.shared = [Places.databaseName: Shared(isPublic: true, contents: points)]
        tracker.consolidated = Consolidated(
            name: "lt_locations_all",
            contents: Contents(
                indexes: [["index": ["fields": ["created_at"]], "name": "timestamps", "ddoc": "timestamps"]],
                designs: points.designs))
        return tracker
    }()

    private static let pointFunction =
        "function (doc) { if (doc.geometry && doc.geometry.coordinates) { st_index(doc.geometry); } }"
}
