//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitJSON

extension Application {
    /// The Location Tracker: a database of locations for each user, a consolidated database of all users, and places
    /// that everyone may read.
    static let locationTracker: Application = {
        let points = Contents(designs: ["points": ["st_indexes": ["pointidx": ["index": .string(pointFunction)]]]])
        let timestamps: JSONObject = ["index": ["fields": ["created_at"]], "name": "timestamps", "ddoc": "timestamps"]
        var tracker = Application(
            id: "locationtracker", accountsDatabase: "lt_users", databasePrefix: "lt_locations_user_")
        tracker.userDatabaseContents = Contents(indexes: [timestamps], designs: points.designs)
        tracker.shared = [Places.databaseName: Shared(isPublic: true, contents: points)]
        tracker.consolidated = Consolidated(
            name: "lt_locations_all",
            contents: Contents(
                indexes: [timestamps],
                designs: points.designs.merging(["users": newestOfUsers]) { _, new in new }))
        return tracker
    }()

    /// A view of the locations of each user, ordered by time. A reduced query at group level 1 returns the number of
    /// locations of each user. The view reads the name of the user from the id of the document, because a user cannot
    /// forge the id. A user could forge the member `properties.username`.
    private static let newestOfUsers: JSONObject = [
        "views": [
            "newest": [
                "map": """
                function (doc) {
                  if (doc.type === 'Feature' && doc.created_at > 0) emit([doc._id.split(':')[0], doc.created_at], null);
                }
                """, "reduce": "_count",
            ]
        ]
    ]

    private static let pointFunction =
        "function (doc) { if (doc.geometry && doc.geometry.coordinates) { st_index(doc.geometry); } }"
}
