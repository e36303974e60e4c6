//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitStore
import GodwitThreads
import HTTPTypes
import Logging

/// The administrators of a server: kept as hashes beside the databases, or given for this run.
public final class Administrators: Sendable {
    private let hashes: Mutex<[String: PasswordHash]>
    /// The one of this run alone, if there is one.
    private let temporary: String?
    /// What is wrong with the password of the one of this run; `nil` when nothing is.
    private let temporaryWeakness: String?
    /// The password of the one that the first start makes up, who is not kept yet; `nil` when there was one.
    private let firstPassword: String?
    /// Where the others are kept; `nil` when none are.
    private let manager: DatastoreManager?
    private let lock = KeyedAsyncLock<String>()

    /// One administrator for this run, kept in memory alone.
    public init(name: String, password: String) {
        hashes = Mutex([name: Administrators.temporaryHash(of: password)])
        (temporary, firstPassword, manager) = (name, nil, nil)
        temporaryWeakness = PasswordRules().weakness(of: password)
    }

    private init(
        _ hashes: [String: PasswordHash], temporary: (name: String, password: String)?, firstPassword: String?,
        manager: DatastoreManager
    ) {
        self.hashes = Mutex(hashes)
        self.temporary = temporary?.name
        temporaryWeakness = temporary.flatMap { PasswordRules().weakness(of: $0.password) }
        self.firstPassword = firstPassword
        self.manager = manager
    }

    private static func temporaryHash(of password: String) -> PasswordHash {
        // It is never stored: what many rounds would hinder, reading the disk, finds nothing.
        PasswordHash(of: password, iterations: 10_000)
    }

    private static let settingsKey = "administrators"

    private static let firstName = "admin"

    /// The administrators that are kept; on the first start one is made up, unless there is one for this run, whom
    /// ``keepFirst(announce:)`` keeps.
    ///
    /// - Parameter temporary: One for this run alone.
    public static func kept(
        by manager: DatastoreManager, temporary: (name: String, password: String)? = nil
    ) async throws -> Administrators {
        let stored = try await manager.setting(settingsKey)
        var hashes = try stored.map(hashes(in:)) ?? [:]
        if let temporary { hashes[temporary.name] = temporaryHash(of: temporary.password) }
        let firstPassword = hashes.isEmpty ? randomPassword() : nil
        if let firstPassword { hashes[firstName] = PasswordHash(of: firstPassword) }
        return Administrators(hashes, temporary: temporary, firstPassword: firstPassword, manager: manager)
    }

    /// Keeps the administrator that the first start made up; without one nothing happens.
    ///
    /// It is for a server that listens: a start that fails before leaves no administrator, so that the next one shows
    /// a password again. It is shown before it is kept, since a process may be killed in between.
    ///
    /// - Parameter announce: Told the name and password, once: only the hash is kept.
    public func keepFirst(announce: @Sendable (_ name: String, _ password: String) -> Void) async throws {
        guard let firstPassword else { return }
        try await lock.withLock("") {
            announce(Administrators.firstName, firstPassword)
            try await manager?.setSetting(Administrators.settingsKey, to: stored(hashes.withLock { $0 }))
        }
    }

    /// Warns where the administrator of this run has a weak password.
    func warnOfWeakness(to logger: Logger) {
        guard let temporary, let temporaryWeakness else { return }
        logger.warn(of: temporaryWeakness, whose: "administrator", name: temporary)
    }

    private static func hashes(in stored: [UInt8]) throws -> [String: PasswordHash] {
        var hashes: [String: PasswordHash] = [:]
        for (name, value) in try JSONValue(parsing: stored).objectValue ?? [:] {
            guard let hash = value.stringValue.flatMap({ PasswordHash($0) }) else {
                throw StoreError(
                    .corrupt, "the stored password of the administrator \(name) cannot be read. Start with --admin.")
            }
            hashes[name] = hash
        }
        return hashes
    }

    /// The password of an administrator; `nil` when there is none of this name.
    func hash(of name: String) -> PasswordHash? { hashes.withLock { $0[name] } }

    /// All of them, in the order of their names.
    var all: [(name: String, hash: PasswordHash)] {
        hashes.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Sets an administrator's password; `nil` removes the administrator.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 for the last one, whom nobody could bring back, and for the one of this
    ///   run.
    func set(_ name: String, to hash: PasswordHash?) async throws {
        try await lock.withLock("") {
            guard name != temporary else {
                throw HTTPFailure.badRequest("\(name) is an administrator of this run alone. Choose another name.")
            }
            var changed = hashes.withLock { $0 }
            changed[name] = hash
            guard !changed.isEmpty else {
                throw HTTPFailure.badRequest("\(name) is the last administrator. Make another one first.")
            }
            try await manager?.setSetting(Administrators.settingsKey, to: stored(changed))
            hashes.withLock { $0 = changed }
        }
    }

    /// What is kept of them.
    private func stored(_ hashes: [String: PasswordHash]) -> [UInt8] {
        var object = JSONObject()
        for (name, hash) in hashes where name != temporary { object[name] = .string(hash.description) }
        return JSONValue.object(object).jsonBytes()
    }

    /// A new password: twenty letters and digits without look-alikes, about 115 random bits.
    public static func randomPassword() -> String {
        let alphabet = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String((0..<20).map { _ in alphabet.randomElement()! })
    }
}
