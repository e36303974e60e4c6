//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

/// A document with the state of an app, which is never replicated.
public struct StateDocument: Sendable {
    private static let id = "state"

    private let datastore: Datastore

    /// Creates a document in a datastore of the device.
    public init(in datastore: Datastore) { self.datastore = datastore }

    /// Returns the members; none before the first ``write(_:)``.
    public func read() -> JSONObject { (try? datastore.document(StateDocument.id))?.body ?? [:] }

    /// Replaces the members. They are on disk when the call returns.
    public func write(_ body: JSONObject) async throws(StoreError) {
        if var document = try? datastore.document(StateDocument.id) {
            document.body = body
            _ = try await datastore.update(document)
        } else {
            _ = try await datastore.create(Document(id: StateDocument.id, body: body))
        }
    }
}
