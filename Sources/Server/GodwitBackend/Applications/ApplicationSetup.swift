//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import GodwitStore

/// Creates the databases of an application: the database of users, the shared databases, and the consolidated database.
/// Existing databases keep their documents. Their security objects are replaced by those that the application declares.
/// A design document is replaced if the application declares one with the same id.
struct ApplicationSetup {
    let application: Application
    let server: RunningServer

    /// The indexes of the database of accounts: by key, by e-mail address, and by the identities of each provider.
    private var accountIndexes: [JSONObject] {
        let fields =
            [("api-keys", "api_key"), ("emails", "email_key")]
            + application.providers.keys.sorted().map { ("identities-\($0)", "identities.\($0).subject") }
        return fields.map { name, field in
            ["index": ["fields": [.string(field)]], "name": .string(name), "ddoc": .string(name)]
        }
    }

    func run() async throws {
        try await ensure(
            application.accountsDatabase, rights: [:], Application.Contents(indexes: accountIndexes))
        for (name, shared) in application.shared.sorted(by: { $0.key < $1.key }) {
            try await ensure(name, rights: rights(in: shared, name), isPublic: shared.isPublic, shared.contents)
        }
        if let consolidated = application.consolidated {
            try await ensure(
                consolidated.name, rights: [application.analystRole: ["_reader"]], consolidated.contents)
        }
    }

    /// Returns the rights in a shared database for each role that a principal may have.
    private func rights(in shared: Application.Shared, _ database: String) -> JSONObject {
        func list(_ rights: [String]) -> JSONValue { .array(rights.map { .string($0) }) }
        var rights: JSONObject = [application.userRole: list(shared.rights)]
        for (role, given) in shared.roleRights { rights["\(application.id)/\(role)"] = list(given) }
        for (group, given) in shared.groupRights {
            rights["\(application.id)/\(Application.role(ofGroup: group, in: database))"] = list(given)
        }
        return rights
    }

    /// Creates or updates one database.
    ///
    /// - Parameters:
    ///   - rights: The rights per role.
    ///   - isPublic: Whether anyone may read.
    private func ensure(
        _ name: String, rights: JSONObject, isPublic: Bool = false, _ contents: Application.Contents
    ) async throws {
        let group: JSONValue = ["names": [], "roles": ["_admin"]]
        var object: JSONObject = ["admins": group, "members": group, "godwit": ["roles": .object(rights)]]
        if isPublic { object["cloudant"] = ["nobody": ["_reader"]] }
        let security = try SecurityObject(.object(object))
        let record = CreationRecord(security: JSONValue.object(security.value).jsonBytes())
        do throws(StoreError) {
            try await server.manager.create(named: name, record: record)
        } catch {
            guard error.code == .databaseExists else { throw error }
            try await server.setSecurity(of: name, to: security)
        }
        try await server.manager.existingDatastore(named: name).ensureDesigns(try contents.documents())
    }
}
