//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitJSON
public import GodwitStore

/// A document that contains the state of an app. The document is never replicated.
public final class StateDocument: Sendable {
    private static let id = "state"

    private let datastore: Datastore
    private let lock = KeyedAsyncLock<String>()

    /// Creates a document in a datastore of the device.
    public init(in datastore: Datastore) { self.datastore = datastore }

    /// Returns the members. They are empty before the first call of ``write(_:)``, and if the datastore cannot be read.
    public func read() -> JSONObject { (try? datastore.document(StateDocument.id))?.body ?? [:] }

    /// Replaces the members. They are on disk when the call returns. Concurrent calls write one after the other, in the
    /// order of the calls.
    public func write(_ body: JSONObject) async throws(StoreError) {
        let result = await lock.withLock(StateDocument.id) { await replace(body) }
        try result.get()
    }

    private func replace(_ body: JSONObject) async -> Result<Void, StoreError> {
        do throws(StoreError) {
            if var document = try? datastore.document(StateDocument.id) {
                document.body = body
                _ = try await datastore.update(document)
            } else {
                _ = try await datastore.create(Document(id: StateDocument.id, body: body))
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
