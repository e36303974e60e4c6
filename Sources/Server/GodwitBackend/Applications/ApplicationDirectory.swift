//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import GodwitStore

/// The applications of a server. Some of them were arguments when the server was started. The others were declared by
/// requests, and their declarations are stored.
final class ApplicationDirectory: Sendable {
    private static let prefix = "application/"

    private let manager: DatastoreManager
    private let known: Mutex<[ExactText: Application]>
    /// The ids of the applications that were arguments when the server was started. If the declaration of an
    /// application with the same id is stored, the argument takes precedence at the start. No request can remove such
    /// an application.
    private let given: Set<ExactText>
    /// The ids of all applications of the server, and of removed applications that still have a database.
    private let reserved: Mutex<Set<ExactText>>

    init(manager: DatastoreManager, given: [Application]) {
        self.manager = manager
        self.given = Set(given.map { ExactText($0.id) })
        known = Mutex(Dictionary(given.map { (ExactText($0.id), $0) }, uniquingKeysWith: { $1 }))
        reserved = Mutex(self.given)
    }

    /// The application with the routes of the Bluelist adapter; `nil` when none has them.
    var bluelist: Application? { known.withLock { $0.values.first { $0.hasBluelist } } }

    /// All applications, in the order of their ids.
    var all: [Application] { known.withLock { $0.values.sorted { $0.id < $1.id } } }

    /// Returns the application with an id; `nil` when it does not exist.
    func application(_ id: String) -> Application? { known.withLock { $0[ExactText(id)] } }

    /// Whether names that begin with an id and a slash are reserved for the users of an application. This is also the
    /// case for a removed application that still has a database.
    func reserves(_ id: String) -> Bool { reserved.withLock { $0.contains(ExactText(id)) } }

    /// Reads the stored applications, and checks that all applications are compatible.
    func load() async throws {
        for (key, value) in try await manager.settings(beginningWith: ApplicationDirectory.prefix) {
            let application = try Application(try JSONValue(parsing: value))
            guard (ApplicationDirectory.prefix + application.id).isIdenticalText(to: key) else { continue }
            known.withLock { known in
                let id = ExactText(application.id)
                if !given.contains(id) { known[id] = application }
            }
        }
        for application in all {
            try check(application)
            try await keepNames(of: application)
        }
        try await reserveNames()
    }

    /// Reserves the names of former applications that still have a database. A former application was removed, or it
    /// was an argument only at an earlier start of the server. Releases the names of former applications that no longer
    /// have a database.
    private func reserveNames() async throws {
        for names in try await ReservedNames.all(in: manager) where application(names.id) == nil {
            if try await names.areInUse(in: manager) {
                reserved.withLock { _ = $0.insert(ExactText(names.id)) }
            } else {
                try await manager.removeSetting(names.key)
            }
        }
    }

    /// Stores the names of an application's databases.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidApplication`` when the names of these databases
    ///   differ from the names that are already stored for the application. The names cannot be changed, because the
    ///   databases with the stored names contain the users' data.
    private func keepNames(of application: Application) async throws {
        let names = ReservedNames(of: application)
        reserved.withLock { _ = $0.insert(ExactText(names.id)) }
        guard let known = try await manager.setting(names.key) else {
            return try await manager.setSetting(names.key, to: names.bytes)
        }
        guard known == names.bytes else { throw AccountError.namesAreFixed(application.id) }
    }

    /// Stores a declared application. An application with the same id is replaced.
    func keep(_ application: Application) async throws {
        try check(application)
        try await keepNames(of: application)
        try await manager.setSetting(
            ApplicationDirectory.prefix + application.id, to: JSONValue.object(application.json).jsonBytes())
        known.withLock { $0[ExactText(application.id)] = application }
    }

    /// Removes an application. Its databases remain, and the names of its users remain reserved.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notAllowed`` if the application was given to the server
    ///   at its start, and was not declared later.
    func forget(_ id: String) async throws {
        guard !given.contains(ExactText(id)) else { throw AccountError.startedWith(id) }
        try await manager.removeSetting(ApplicationDirectory.prefix + id)
        known.withLock { _ = $0.removeValue(forKey: ExactText(id)) }
    }

    /// Checks an application. Its database of accounts, the databases of its users and its consolidated database must
    /// not belong to another application. If the application exists already, the names of these databases must not
    /// change.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidApplication``.
    func check(_ application: Application) throws(AccountError) {
        try application.check()
        for contents in [application.userDatabaseContents] + application.shared.values.map(\.contents) {
            _ = try contents.documents()
        }
        _ = try application.consolidated?.contents.documents()
        for other in all where !other.id.isIdenticalText(to: application.id) {
            let prefixes = (application.databasePrefix, other.databasePrefix)
            let meets =
                prefixes.0.begins(with: prefixes.1) || prefixes.1.begins(with: prefixes.0)
                || other.databases.contains { $0.begins(with: prefixes.0) }
                || application.databases.contains { $0.begins(with: prefixes.1) }
                || !application.ownDatabases.isDisjoint(with: other.databases)
                || !other.ownDatabases.isDisjoint(with: application.databases)
            guard !meets else {
                throw .invalidApplication("it shares databases with the application \(other.id)")
            }
        }
        if application.hasBluelist,
            let other = all.first(where: { $0.hasBluelist && !$0.id.isIdenticalText(to: application.id) })
        {
            throw .invalidApplication("the application \(other.id) has the routes of the Bluelist adapter")
        }
        if let known = self.application(application.id) {
            guard known.accountsDatabase.isIdenticalText(to: application.accountsDatabase),
                known.databasePrefix.isIdenticalText(to: application.databasePrefix),
                ExactText.areEqual(known.consolidated?.name, application.consolidated?.name)
                    || known.consolidated == nil
            else { throw .namesAreFixed(application.id) }
        }
    }
}

extension AccountError {
    fileprivate static func namesAreFixed(_ id: String) -> AccountError {
        .invalidApplication("the names of \(id)'s databases cannot be changed, because they hold its users' data")
    }

    fileprivate static func startedWith(_ id: String) -> AccountError {
        .notAllowed("The application \(id) is declared by the server's start and can be changed only there.")
    }
}
