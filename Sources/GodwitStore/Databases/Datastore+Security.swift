//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

extension Datastore {
    /// The security object of the database, which validations are given as `secObj`; empty when there is none.
    ///
    /// It gives nobody a right here and takes none: an app may do all with its own databases.
    public func security() throws(StoreError) -> JSONObject {
        do {
            guard case .some(.some(let text)) = try database.catalogue.security(of: name) else { return [:] }
            return try JSONValue(parsing: text).objectValue ?? [:]
        } catch {
            // The manager closes its catalogue behind its databases.
            guard !hub.isClosed else { throw StoreError.closed }
            throw StoreError(wrapping: error, subject: "reading the security object of \(name)")
        }
    }

    /// Sets the security object of the database, for example to the one that the server has.
    ///
    /// ```swift
    /// try await trips.setSecurity(remote.security())
    /// ```
    ///
    /// Of a database that a server of this process serves, set it there.
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
