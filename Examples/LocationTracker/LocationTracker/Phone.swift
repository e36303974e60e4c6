//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit
import LocationTrackerClient

/// A phone of the demo: a datastore of its own on disk, which knows no network until it is given an address.
struct Phone {
    static let username = "demo"

    let locations: Datastore

    /// What recording a journey came to.
    struct Recording {
        let fixCount: Int
        let locationCount: Int
        /// Locations that were not recorded before.
        let newCount: Int
    }

    /// Records the locations that the filter takes of a journey; those that are there already stay as they are.
    func record(_ journey: Journey) async throws -> Recording {
        let known = Set(try locations.allDocuments().compactMap(\.id))
        let taken = try journey.locations()
        var newCount = 0
        for (place, fix) in taken.enumerated() {
            let id = Phone.id(of: place, in: journey)
            guard !known.contains(id) else { continue }
            let body = fix.document(username: Phone.username, session: journey.name)
            _ = try await locations.create(Document(id: id, body: body))
            newCount += 1
        }
        return Recording(
            fixCount: try journey.track().fixes.count, locationCount: taken.count, newCount: newCount)
    }

    /// The id of a journey's location: the same at each run, so that nothing is recorded twice.
    static func id(of place: Int, in journey: Journey) -> String {
        let digits = String(place + 1)
        return "\(journey.name)-\(String(repeating: "0", count: max(0, 3 - digits.count)))\(digits)"
    }
}
