//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitText
import GodwitTransport
import HTTPTypes

/// The rules of the database `_users`, as in CouchDB. Each document describes one user. Only this user and the server's
/// administrators may read and change the document.
enum UsersDatabase {
    static let name = "_users"
    private static let prefix = "org.couchdb.user:"

    /// Returns the database `_users`; `nil` when it does not exist.
    static func datastore(of manager: DatastoreManager) async throws -> Datastore? {
        do {
            return try await manager.existingDatastore(named: name)
        } catch  where error.code == .databaseNotFound {
            return nil
        }
    }

    /// The design document of every `_users` database in CouchDB. In CouchDB, a function of this design document
    /// validates user documents. In this server, Swift code validates them instead, so that the rules also apply
    /// without JavaScript.
    private static let design: JSONObject = [
        "language": "javascript",
        "description": "The server itself checks the documents of this database, by the rules of CouchDB.",
    ]

    /// Adds the design document. Does nothing if the database has this document, or if the document was deleted.
    static func addDesign(to users: Datastore) async throws {
        let id = "_design/_auth"
        guard try users.read({ try $0.row(id: id) }) == nil else { return }
        _ = try await users.create(Document(id: id, body: design))
    }

    // MARK: Accounts

    /// Returns the account of a user.
    ///
    /// - Returns: The account; `nil` when the user has no document, or the document has no valid password hash.
    ///   As in CouchDB, an account whose document is in conflict may not log in: its winner may have an old password, or
    ///   the roles of before.
    static func account(named name: String, in users: Datastore) throws -> Account? {
        guard let stored = try stored(named: name, in: users), let hash = PasswordHash(user: stored.object) else {
            return nil
        }
        // Roles that begin with `_` are ignored, so that no document can create an administrator of the server.
        let roles = stored.object["roles"]?.arrayValue?.compactMap(\.stringValue).filter {
            $0.utf8.first != UInt8(ascii: "_")
        }
        var account = Account(name: name, kind: .user, roles: roles ?? [], hash: hash)
        if stored.isInConflict {
            account.refusal = .unauthorized(
                "User document conflicts must be resolved before the document is used for authentication purposes.")
        }
        return account
    }

    /// Replaces a user's password hash. Does nothing if the stored hash changed after the account was read.
    static func replaceHash(of account: Account, with hash: PasswordHash, in users: Datastore) async throws {
        guard let stored = try stored(named: account.name, in: users),
            PasswordHash(user: stored.object) == account.hash
        else { return }
        var user = stored.object
        hash.write(to: &user)
        let edit = try IncomingDocument(editing: stored.revision, limits: users.limits)
        _ = try await users.save(try edit.replacingBody(user, limits: users.limits))
    }

    private static func stored(
        named name: String, in users: Datastore
    ) throws -> (revision: StoredRevision, object: JSONObject, isInConflict: Bool)? {
        guard let row = try users.read({ try $0.row(id: prefix + name) }), !row.winner.isDeleted else { return nil }
        let object = try JSONValue(parsing: row.body).objectValue ?? [:]
        return (StoredRevision(winnerOf: row), object, !row.conflicts.isEmpty)
    }

    /// Returns the user name in a document's id; `nil` for an id without the prefix of users.
    static func name(ofDocument id: String) -> String? {
        id.utf8.starts(with: prefix.utf8) ? String(id.utf8.dropFirst(prefix.utf8.count)) : nil
    }

    /// Whether an id identifies the document of a user. The ids are compared byte by byte.
    private static func isDocument(_ id: String, of name: String) -> Bool {
        id.utf8.elementsEqual((prefix + name).utf8)
    }

    // MARK: Rules

    /// Whether a principal may read a document. Administrators may read all documents. Other principals may read only
    /// their own user document.
    static func shows(_ id: String, to principal: Principal) -> Bool {
        principal.isAdministrator || principal.name.map { isDocument(id, of: $0) } == true
    }

    /// Validates a document by the rules of users, and hashes its password. Design documents and deletions are returned
    /// unchanged.
    ///
    /// - Parameters:
    ///   - previous: The members of the document's winner; `nil` for a new or deleted document.
    ///   - address: The client's address. Hashes wait in a queue per client (``PasswordWork``). For an anonymous
    ///     principal, which has no name, the network of this address identifies the client.
    /// - Returns: The document to save.
    /// - Throws: ``HTTPFailure``. Its status is 403, with CouchDB's reason, when a rule is broken; 404 for another
    ///   user's document; 409 when an anonymous principal writes the document of an existing user; 503 when too many
    ///   passwords wait to be hashed.
    static func validated(
        _ document: IncomingDocument, previous: JSONObject?, principal: Principal, accounts: AccountDirectory,
        limits: StoreLimits, iterations: Int, from address: String
    ) async throws -> IncomingDocument {
        guard let id = document.id, !DocumentID.isDesign(id) else { return document }
        // Anonymous principals may register: they may write the document of a new user. If a user with this name exists
        // already, the write fails with a conflict. A principal with a name may not register, because it already has an
        // account.
        if !shows(id, to: principal), previous != nil || principal.name != nil {
            throw principal.name == nil ? HTTPFailure.conflict : HTTPFailure.missing
        }
        if document.isDeleted {
            guard principal.isAdministrator || shows(id, to: principal) else {
                throw HTTPFailure.forbidden("Only admins may delete other user docs.")
            }
            return document
        }
        guard !CombiningMarks.areTooMany(inJSON: document.body) else {
            throw HTTPFailure.forbidden(HTTPFailure.tooManyMarks.reason)
        }
        var user = try JSONValue(parsing: document.body, limits: limits.json).objectValue ?? [:]
        try checkShape(user, id: id)
        if let name = user["name"]?.stringValue, accounts.isReserved(name) { throw HTTPFailure.nameReserved(name) }
        try checkChange(user, previous: previous, principal: principal)
        guard let password = user["password"]?.stringValue else { return document }
        if principal.isAdministrator {
            accounts.logger.warnOfWeakness(of: password, whose: "user", name: user["name"]?.stringValue ?? "")
        }
        let hash = try await PasswordWork.run(for: principal.name ?? HostAddress.network(of: address)) {
            PasswordHash(of: password, iterations: iterations)
        }
        hash.write(to: &user)
        return try document.replacingBody(user, limits: limits)
    }

    private static func checkShape(_ user: JSONObject, id: String) throws(HTTPFailure) {
        guard user["type"]?.stringValue == "user" else { throw .forbidden("doc.type must be user") }
        guard let nameValue = user["name"], nameValue != .null, nameValue != "" else {
            throw .forbidden("doc.name is required")
        }
        guard let roles = user["roles"] else { throw .forbidden("doc.roles must exist") }
        guard let roleList = roles.arrayValue else { throw .forbidden("doc.roles must be an array") }
        guard roleList.allSatisfy({ $0.stringValue != nil }) else {
            throw .forbidden("doc.roles can only contain strings")
        }
        guard let name = nameValue.stringValue, isDocument(id, of: name) else {
            throw .forbidden("Doc ID must be of the form org.couchdb.user:name")
        }
        guard !roleList.contains(where: { $0.stringValue?.utf8.first == UInt8(ascii: "_") }) else {
            throw .forbidden("No system roles (starting with underscore) in users db.")
        }
        // Canonically equivalent names look alike, but they are different ids. Only composed names are accepted, so that
        // no user can register with a name that cannot be distinguished from the name of another user.
        guard ComposedForm.holds(name) else {
            throw .forbidden("Username must be in Unicode's composed form (NFC).")
        }
        guard name.utf8.first != UInt8(ascii: "_") else { throw .forbidden("Username may not start with underscore.") }
        guard !name.utf8.contains(UInt8(ascii: ":")) else {
            throw .forbidden("Character `:` is not allowed in usernames.")
        }
        try checkHash(user)
    }

    private static func checkHash(_ user: JSONObject) throws(HTTPFailure) {
        if let password = user["password"], password.stringValue == nil {
            throw .forbidden("Password value of '\(password.jsonText())' is invalid.")
        }
        if user["password_sha"] != nil, user["salt"] == nil {
            throw .forbidden(
                "Users with password_sha must have a salt.See /_utils/script/couch.js for example code.")
        }
        guard let scheme = user["password_scheme"], scheme != .null else { return }
        guard let name = scheme.stringValue, ["simple", "pbkdf2"].contains(name) else {
            throw .forbidden("Password scheme `\(scheme.stringValue ?? "")` not supported.")
        }
        guard name == "pbkdf2", user["password"] == nil else { return }
        guard user["iterations"]?.doubleValue != nil else { throw .forbidden("iterations must be a number.") }
        guard user["derived_key"]?.stringValue != nil else { throw .forbidden("derived_key must be a string.") }
    }

    private static func checkChange(
        _ user: JSONObject, previous: JSONObject?, principal: Principal
    ) throws(HTTPFailure) {
        if let previousName = previous?["name"], previousName != user["name"] {
            throw .forbidden("Usernames can not be changed.")
        }
        guard !principal.isAdministrator else { return }
        try checkStoredPassword(user, previous: previous)
        guard let previous else {
            guard user["roles"]?.arrayValue?.isEmpty == true else { throw .forbidden("Only _admin may set roles") }
            return
        }
        guard roles(of: user) == roles(of: previous) else {
            throw .forbidden("Only _admin may edit roles")
        }
    }

    /// Refuses salts and hashes that a client created, because sessions are bound to the salt and the hash.
    private static func roles(of user: JSONObject) -> Set<JSONValue> {
        Set((user["roles"]?.arrayValue ?? []).filter { $0.stringValue != nil })
    }

    private static func checkStoredPassword(_ user: JSONObject, previous: JSONObject?) throws(HTTPFailure) {
        guard user["password"]?.stringValue == nil else { return }
        let stored = PasswordHash.stored(in: user)
        guard stored.allSatisfy({ $0 == nil }) || stored == PasswordHash.stored(in: previous ?? [:]) else {
            throw .forbidden("Only _admin may set the hash of a password. Send the password as doc.password.")
        }
    }
}

extension IncomingDocument {
    /// Returns a copy of this edit whose document has other members.
    func replacingBody(_ object: JSONObject, limits: StoreLimits) throws -> IncomingDocument {
        var edited = try IncomingDocument(parsing: JSONValue.object(object).jsonBytes(), purpose: .edit, limits: limits)
        (edited.id, edited.revision, edited.isDeleted) = (id, revision, isDeleted)
        (edited.path, edited.attachments) = (path, attachments)
        return edited
    }
}

extension HTTPFailure {
    fileprivate static func nameReserved(_ name: String) -> HTTPFailure {
        .forbidden(
            "Names that begin with `\(name.prefix { $0 != "/" })/` are reserved for the users of an application that "
                + "the server has or had. Choose another name.")
    }

    static func forbidden(_ reason: String) -> HTTPFailure { HTTPFailure(.forbidden, "forbidden", reason) }
}
