//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import ProgramKit

/// The points of interest of the example.
enum Places {
    /// The name of the database of the places.
    static let databaseName = "lt_places"

    /// Loads the places that do not exist yet. A place that was deleted is not loaded again.
    ///
    /// - Returns: The number of new places.
    static func load(into datastore: Datastore, nowMilliseconds: Int64) async throws -> Int {
        var count = 0
        for document in try documents(nowMilliseconds: nowMilliseconds) where try isUnknown(document, in: datastore) {
            _ = try await datastore.create(document)
            count += 1
        }
        return count
    }

    private static func isUnknown(_ place: Document, in datastore: Datastore) throws -> Bool {
        do {
            _ = try datastore.document(place.id ?? "")
            return false
        } catch {
            guard error.code != .deleted else { return false }
            guard error.code == .notFound else { throw error }
            return true
        }
    }

    private static func documents(nowMilliseconds: Int64) throws -> [Document] {
        let list =
            try JSONValue(parsing: EmbeddedFiles.locationTracker.data("places.json") ?? [])["places"]?.arrayValue ?? []
        return list.enumerated().map { index, feature in
            var body = feature.objectValue ?? [:]
            body["created_at"] = .integer(nowMilliseconds)
            let number = index + 1
            return Document(id: "place-\(number < 10 ? "0" : "")\(number)", body: body)
        }
    }
}
