//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

extension Datastore {
    /// The security object of the database, which validation functions receive as `secObj`; empty if none was set or
    /// the database was deleted.
    ///
    /// In an app, the security object does not restrict access, because an app has all rights to its own databases.
    ///
    /// - Throws: ``StoreError`` if it cannot be read.
    public func security() throws(StoreError) -> JSONObject {
        do {
            guard case .some(.some(let text)) = try database.catalogue.security(of: name) else { return [:] }
            return try JSONValue(parsing: text).objectValue ?? [:]
        } catch {
            // If the database is closed, the error must be `closed`. The catalogue alone does not ensure this: it may
            // still be open, because the manager closes it after the databases.
            guard !hub.isClosed else { throw StoreError.closed }
            throw StoreError(wrapping: error, subject: "reading the security object of \(name)")
        }
    }

    /// Sets the security object of the database, for example to a copy of the security object on the server.
    ///
    /// ```swift
    /// try await trips.setSecurity(remote.security())
    /// ```
    ///
    /// If a server in this process serves the database, set the object through that server instead. Does nothing if the
    /// database was deleted.
    ///
    /// - Throws: ``StoreError`` if it cannot be written.
    public func setSecurity(_ security: JSONObject) async throws(StoreError) {
        let (catalogue, name) = (database.catalogue, name)
        let text = JSONValue.object(security).jsonBytes()
        do {
            try await BlockingPool.shared.run { try catalogue.setSecurity(of: name, to: text) }
        } catch {
            throw StoreError(wrapping: error, subject: "setting the security object of \(name)")
        }
    }
}
