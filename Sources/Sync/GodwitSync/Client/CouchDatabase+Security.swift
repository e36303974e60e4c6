//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

extension CouchDatabase {
    /// Returns the database's security object (`_security`): `admins` and `members`, each with `names` and `roles`.
    public func security() async throws(StoreError) -> JSONObject {
        let answer = try await json(.other("its security object"), "GET", "_security")
        guard case .object(let members)? = try? answer.value(0) else { throw nonsense("_security is not an object") }
        return members
    }

    /// Sets the database's security object. The user must be an administrator of the database.
    ///
    /// ```swift
    /// try await trips.setSecurity(["members": ["names": ["ana"], "roles": []]])
    /// ```
    public func setSecurity(_ security: JSONObject) async throws(StoreError) {
        _ = try await json(
            .other("its security object"), "PUT", "_security", body: JSONValue.object(security).jsonBytes())
    }
}
