//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitStore
import HTTPTypes
import Logging

/// The administrators of a server. Their password hashes are stored with the databases. In addition, there may be one
/// temporary administrator, who exists only in memory while this process runs.
public final class Administrators: Sendable {
    private let hashes: Mutex<[ExactText: PasswordHash]>
    /// The name of the temporary administrator; `nil` when there is no temporary administrator.
    private let temporary: String?
    /// The weakness of the temporary administrator's password; `nil` when the password is strong enough, or when no
    /// temporary administrator exists.
    private let temporaryWeakness: String?
    /// The password that the server generated for the first administrator; `nil` when a stored or temporary
    /// administrator existed already. ``keepFirst(announce:)`` stores the hash of this password.
    private let firstPassword: String?
    /// Stores the administrators, except the temporary one; `nil` when administrators exist only in memory.
    private let manager: DatastoreManager?
    private let lock = KeyedAsyncLock<String>()

    /// Creates a list with one administrator, who exists only in memory and only for this run.
    public init(name: String, password: String) {
        hashes = Mutex([ExactText(name): Administrators.temporaryHash(of: password)])
        (temporary, firstPassword, manager) = (name, nil, nil)
        temporaryWeakness = PasswordRules().weakness(of: password)
    }

    private init(
        _ hashes: [ExactText: PasswordHash], temporary: (name: String, password: String)?, firstPassword: String?,
        manager: DatastoreManager
    ) {
        self.hashes = Mutex(hashes)
        self.temporary = temporary?.name
        temporaryWeakness = temporary.flatMap { PasswordRules().weakness(of: $0.password) }
        self.firstPassword = firstPassword
        self.manager = manager
    }

    private static func temporaryHash(of password: String) -> PasswordHash {
        // The hash is never stored, so attackers who read the disk cannot get it. Therefore few iterations are
        // sufficient, and hundreds of servers of tests share the threads that hash.
        PasswordHash(of: password, iterations: 1_000)
    }

    private static let settingsKey = "administrators"

    private static let firstName = "admin"

    /// Reads the stored administrators. If no administrator is stored and none is temporary, this function generates an
    /// administrator. ``keepFirst(announce:)`` stores the generated administrator.
    ///
    /// - Parameter temporary: An administrator for this run only.
    /// - Throws: `StoreError` with code `corrupt` when a stored password cannot be read, and errors of reading and
    ///   parsing the setting.
    public static func kept(
        by manager: DatastoreManager, temporary: (name: String, password: String)? = nil
    ) async throws -> Administrators {
        let stored = try await manager.setting(settingsKey)
        var hashes = try stored.map(hashes(in:)) ?? [:]
        if let temporary { hashes[ExactText(temporary.name)] = temporaryHash(of: temporary.password) }
        let firstPassword = hashes.isEmpty ? randomPassword() : nil
        if let firstPassword { hashes[ExactText(firstName)] = PasswordHash(of: firstPassword) }
        return Administrators(hashes, temporary: temporary, firstPassword: firstPassword, manager: manager)
    }

    /// Stores the administrator that ``kept(by:temporary:)`` generated. Does nothing if that function generated no
    /// administrator.
    ///
    /// Call this function after the server has begun to listen. If the server cannot listen, no administrator is
    /// stored, and the next start announces a new password. The function announces the password first and stores the
    /// hash afterwards. In the opposite order, the password would be unknown if the process were killed between the two
    /// steps.
    ///
    /// - Parameter announce: A closure that is called once with the name and the password of the administrator. Only
    ///   the hash of the password is stored.
    public func keepFirst(announce: @Sendable (_ name: String, _ password: String) -> Void) async throws {
        guard let firstPassword else { return }
        try await lock.withLock("") {
            announce(Administrators.firstName, firstPassword)
            try await manager?.setSetting(Administrators.settingsKey, to: stored(hashes.withLock { $0 }))
        }
    }

    /// Logs a warning if the temporary administrator has a weak password.
    func warnOfWeakness(to logger: Logger) {
        guard let temporary, let temporaryWeakness else { return }
        logger.warn(of: temporaryWeakness, whose: "administrator", name: temporary)
    }

    private static func hashes(in stored: [UInt8]) throws -> [ExactText: PasswordHash] {
        var hashes: [ExactText: PasswordHash] = [:]
        for (name, value) in try JSONValue(parsing: stored).objectValue ?? [:] {
            guard let hash = value.stringValue.flatMap({ PasswordHash($0) }) else {
                throw StoreError(
                    .corrupt, "the stored password of the administrator \(name) cannot be read. Start with --admin.")
            }
            hashes[ExactText(name)] = hash
        }
        return hashes
    }

    /// Returns the password hash of an administrator; `nil` when no administrator has this name.
    func hash(of name: String) -> PasswordHash? { hashes.withLock { $0[ExactText(name)] } }

    /// All administrators, in the order of their names.
    var all: [(name: String, hash: PasswordHash)] {
        hashes.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) } }
    }

    /// Sets an administrator's password hash; `nil` removes the administrator.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the name is that of the temporary administrator, and when the
    ///   change would remove the last administrator; errors of storing the setting.
    func set(_ name: String, to hash: PasswordHash?) async throws {
        try await lock.withLock("") {
            guard !isTemporary(name) else {
                throw HTTPFailure.badRequest(
                    "\(name) is an administrator only until the server stops. Choose another name.")
            }
            var changed = hashes.withLock { $0 }
            changed[ExactText(name)] = hash
            guard !changed.isEmpty else {
                throw HTTPFailure.badRequest("\(name) is the last administrator. Add another one first.")
            }
            try await manager?.setSetting(Administrators.settingsKey, to: stored(changed))
            hashes.withLock { $0 = changed }
        }
    }

    private func isTemporary(_ name: String) -> Bool { temporary?.isIdenticalText(to: name) ?? false }

    /// The stored form of the administrators, without the temporary one.
    private func stored(_ hashes: [ExactText: PasswordHash]) -> [UInt8] {
        var object = JSONObject()
        for (name, hash) in hashes where !isTemporary(name.text) { object[name.text] = .string(hash.description) }
        return JSONValue.object(object).jsonBytes()
    }

    /// Returns a new password: 23 letters and digits, without characters that look alike, with about 133 random bits.
    public static func randomPassword() -> String {
        let alphabet = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        // 23 of these characters have more than 128 random bits.
        // Bounded: the alphabet is not empty.
        return String((0..<23).map { _ in alphabet.randomElement()! })
    }
}
