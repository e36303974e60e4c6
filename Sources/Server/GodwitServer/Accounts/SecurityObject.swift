//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import GodwitStore
import HTTPTypes

/// A database's security object, which defines who may use the database.
///
/// CouchDB's members `admins` and `members` grant rights to names and to roles. Cloudant's member `cloudant` grants
/// rights to names. The member `godwit.roles` grants rights to roles.
package struct SecurityObject: Sendable {
    private struct Group: Sendable {
        var names: Set<ExactText> = []
        var roles: Set<ExactText> = []

        var isEmpty: Bool { names.isEmpty && roles.isEmpty }

        func contains(_ principal: Principal) -> Bool {
            principal.name.map { names.contains(ExactText($0)) } == true
                || principal.roles.contains { roles.contains(ExactText($0)) }
        }
    }

    /// The object as received.
    package let value: JSONObject
    private let administrators: Group
    private let members: Group
    /// The rights per name; `nil` without the member `cloudant`. In Cloudant's objects, guests have a special name. The
    /// rights that are granted to this name apply to all principals.
    private let granted: [ExactText: DatabaseRights]?
    /// The rights of each role; `nil` if the object does not have the member `godwit.roles`.
    private let grantedToRoles: [ExactText: DatabaseRights]?

    /// The default for a database without a security object: only administrators of the server may use the database.
    /// The settings can choose ``everyone`` as the default instead.
    static let administratorsOnly: SecurityObject = {
        let group: JSONValue = ["roles": ["_admin"]]
        let administrators = Group(roles: [ExactText("_admin")])
        return SecurityObject(
            value: ["members": group, "admins": group], administrators: administrators, members: administrators)
    }()

    /// The object of a database that is open to all principals.
    static let everyone = SecurityObject(value: [:], administrators: Group(), members: Group())

    private init(
        value: JSONObject, administrators: Group, members: Group, granted: [ExactText: DatabaseRights]? = nil,
        grantedToRoles: [ExactText: DatabaseRights]? = nil
    ) {
        self.value = value
        self.administrators = administrators
        self.members = members
        self.granted = granted
        self.grantedToRoles = grantedToRoles
    }

    /// Parses and checks an object.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 and CouchDB's reasons when a member has the wrong type, or a Cloudant
    ///   role is unknown.
    package init(_ value: JSONValue) throws(HTTPFailure) {
        guard let object = value.objectValue else { throw .badRequest("Request body must be a JSON object") }
        guard let godwitMember = (object["godwit"] ?? [:]).objectValue else {
            throw .badRequest("godwit must be a JSON object")
        }
        self.init(
            value: object, administrators: try SecurityObject.group(object["admins"]),
            members: try SecurityObject.group(object["members"] ?? object["readers"]),
            granted: try SecurityObject.granted(object["cloudant"], "cloudant"),
            grantedToRoles: try SecurityObject.granted(godwitMember["roles"], "godwit.roles"))
    }

    private static func group(_ value: JSONValue?) throws(HTTPFailure) -> Group {
        guard let value else { return Group() }
        guard let object = value.objectValue else { throw .badRequest("admins and members must be JSON objects") }
        return Group(names: try texts(object, "names"), roles: try texts(object, "roles"))
    }

    private static func texts(_ object: JSONObject, _ member: String) throws(HTTPFailure) -> Set<ExactText> {
        guard let value = object[member] else { return [] }
        let texts = value.arrayValue.map { $0.compactMap(\.stringValue) }
        guard let texts, texts.count == value.arrayValue?.count else {
            throw .badRequest("\(member) must be a JSON list of strings")
        }
        return Set(texts.map(ExactText.init))
    }

    private static func granted(
        _ value: JSONValue?, _ member: String
    ) throws(HTTPFailure) -> [ExactText: DatabaseRights]? {
        guard let value else { return nil }
        guard let object = value.objectValue else { throw .badRequest("\(member) must be a JSON object") }
        var granted: [ExactText: DatabaseRights] = [:]
        for (name, _) in object {
            var rights: DatabaseRights = []
            for role in try texts(object, name) {
                guard let right = DatabaseRights(cloudantRole: role.text) else {
                    throw .badRequest("`\(role.text)` is none of _reader, _writer, _replicator and _admin")
                }
                rights.formUnion(right)
            }
            granted[ExactText(name)] = rights
        }
        return granted
    }

    /// Returns a principal's rights.
    func rights(of principal: Principal) -> DatabaseRights {
        if principal.isAdministrator || administrators.contains(principal) { return .all }
        var granted = (granted?[ExactText(principal.name ?? "")] ?? []).union(granted?[ExactText("nobody")] ?? [])
        for role in principal.roles { granted.formUnion(grantedToRoles?[ExactText(role)] ?? []) }
        // If `members` is empty, the database is open to all principals, as in CouchDB. However, it is not open if the
        // object grants rights with `cloudant` or `godwit.roles`.
        let isOpen = members.isEmpty && self.granted == nil && grantedToRoles == nil
        return isOpen || members.contains(principal) ? granted.union(.member) : granted
    }
}

extension DatabaseRights {
    /// Creates the rights of one of Cloudant's roles; `nil` for an unknown role.
    fileprivate init?(cloudantRole role: String) {
        switch role {
        case "_reader": self = .read
        case "_writer": self = .write
        case "_replicator": self = [.read, .writeLocal]
        case "_admin": self = .all
        default: return nil
        }
    }
}
