//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
public import GodwitStore

// A registration takes several steps on disk. The first step creates the database and stores the operation in the
// catalogue (`AccountIntent`). The last step writes the user's document. With this step the registration is complete.
// If the process crashes earlier, the document does not exist, and the next start removes the database.

/// The result of a registration.
public struct Registration: Sendable {
    /// The user's name, which is the id of the user's document.
    public let user: String
    /// The revision of the document.
    public let revision: RevisionID
    /// The name of the user's database.
    public let database: String
}

extension Backend {
    /// Creates an account: the user's database with the application's contents, the user's key, and the document in the
    /// application's database of users.
    ///
    /// The registration is atomic, even if the process crashes.
    ///
    /// - Parameters:
    ///   - user: The user's name: 1 to 100 bytes, in composed form. It must not contain colons or control characters,
    ///     and must not begin with an underscore.
    ///   - password: The user's password, 1 to 1,024 bytes. It is not stored.
    ///   - application: The application's id.
    ///   - address: The client's address, or `nil` for a registration by an administrator or by the app itself. If an
    ///     address is given, the application's rules for passwords apply, and the number of registrations from the
    ///     client's network is limited. For this limit, a registration with a name that exists already is counted too.
    /// - Throws: ``AccountError`` with one of these codes: ``AccountError/Code/userExists``,
    ///   ``AccountError/Code/databaseExists``, ``AccountError/Code/invalidName``,
    ///   ``AccountError/Code/invalidPassword``, ``AccountError/Code/applicationNotFound``,
    ///   ``AccountError/Code/tooManyRegistrations`` (after more than ``Application/registrationsPerMinute``
    ///   registrations). ``HTTPFailure`` with status 503 when too many passwords wait to be hashed.
    public func register(
        _ user: String, password: String, in application: String, from address: String?
    ) async throws -> Registration {
        let application = try self.application(application)
        try UserName.check(user, in: application)
        try Backend.check(password)
        if let address {
            try Backend.check(password, by: application.passwords)
            try countRegistration(in: application, from: address)
        }
        guard try await accounts(application).account(named: user) == nil else { throw AccountError.userExists }
        let secret = Administrators.randomPassword()
        let account = UserAccount(
            name: user, database: UserName.database(of: user, in: application),
            keyHash: UserAccount.hash(ofKey: secret),
            lock: try await seal(secret, password: password, of: user, in: application), now: WallClock.milliseconds)
        return try await create(account, in: application)
    }

    /// Creates an account with its database.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/userExists`` or ``AccountError/Code/databaseExists``.
    func create(_ account: UserAccount, in application: Application) async throws -> Registration {
        try await accountLock.withLock(application.principalName(of: account.name)) {
            let accounts = accounts(application)
            guard try await accounts.account(named: account.name) == nil else { throw AccountError.userExists }
            try await makeDatabase(of: account, in: application)
            let intent = AccountIntent(.registration, of: account, in: application)
            do {
                let revision = try await accounts.create(account)
                // The intent is removed later, which is safe: if the process crashes before that, the document shows
                // that the registration is complete.
                manager.removeSettingLater(intent.key)
                return Registration(user: account.name, revision: revision, database: account.database)
            } catch {
                try? await undo(intent, in: application)
                throw error
            }
        }
    }

    /// Creates the database of a user with the application's contents. Only the user may use it.
    private func makeDatabase(of account: UserAccount, in application: Application) async throws {
        let intent = AccountIntent(.registration, of: account, in: application)
        let security = Backend.security(ofDatabaseOf: account.name, in: application)
        let template = try await templates.template(of: application, in: manager)
        do {
            try await manager.create(
                named: account.database,
                record: CreationRecord(security: security, setting: (intent.key, intent.bytes)), from: template)
        } catch {
            guard error.code == .databaseExists else {
                try? await manager.removeSetting(intent.key)
                throw error
            }
            throw AccountError(
                .databaseExists,
                "The database \(account.database) exists already and belongs to no account. Choose another name.")
        }
    }

    /// Returns the security object of a user's database. The object grants rights only to the user.
    static func security(ofDatabaseOf user: String, in application: Application) -> [UInt8] {
        ([
            "admins": ["names": [], "roles": ["_admin"]],
            "members": ["names": [.string(application.principalName(of: user))], "roles": []],
        ] as JSONValue).jsonBytes()
    }

    /// Removes the database of an incomplete registration. In the meantime, another operation may have created a
    /// database with this name. That database has another security object, and is therefore not removed.
    func undo(_ intent: AccountIntent, in application: Application) async throws {
        let own = Backend.security(ofDatabaseOf: intent.user, in: application)
        if try await manager.security(of: intent.database) == .some(.some(own)) {
            try await server.delete(intent.database)
        }
        try await manager.removeSetting(intent.key)
    }

    /// Encrypts the password of a key with the user's password.
    func seal(
        _ secret: String, password: String, of user: String, in application: Application
    ) async throws -> PasswordLock {
        let (iterations, binding) = (try server.iterations, UserAccount.binding(user, in: application))
        return try await PasswordWork.run(for: application.principalName(of: user)) {
            Result { try PasswordLock(secret, password: password, iterations: iterations, binding: binding) }
        }.get()
    }

    static func check(_ password: String) throws(AccountError) {
        guard !password.isEmpty, password.utf8.count <= BackendLimits.passwordBytesMax else {
            throw AccountError(
                .invalidPassword, "A password must have 1 to \(BackendLimits.passwordBytesMax) bytes.")
        }
    }

    /// Checks that a password that a user chose follows an application's rules.
    static func check(_ password: String, by rules: PasswordRules) throws(AccountError) {
        guard let weakness = rules.weakness(of: password) else { return }
        throw AccountError(.invalidPassword, "The password \(weakness). Choose another one.")
    }
}
