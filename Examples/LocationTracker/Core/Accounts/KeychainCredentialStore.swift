//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitKeys

/// Stores an account in the keychain of Apple's systems. For each failure of the keychain, the code of the error is
/// ``TrackerError/Code/locked``.
///
/// The account is stored as a generic password. When the user has unlocked the device once after its start, the
/// account can be read even while the device is locked. Therefore, tracking continues in the background. The
/// account is not transferred to other devices.
public struct KeychainCredentialStore: CredentialStore {
    private static let service = "location-tracker"

    /// The account attribute of the item.
    public let identifier: String

    /// Creates a store.
    ///
    /// - Parameter identifier: The account attribute of the item. The default is sufficient if only one user at a
    ///   time is logged in.
    public init(identifier: String = "current-user") { self.identifier = identifier }

    private var item: KeychainItem {
        KeychainItem(service: KeychainCredentialStore.service, account: identifier, staysOnDevice: true)
    }

    /// See ``CredentialStore/load()``.
    public func load() async throws(TrackerError) -> TrackerAccount? {
        guard let bytes = try mappingErrors({ () throws(KeyError) in try item.read() }) else { return nil }
        guard let json = try? JSONValue(parsing: bytes), let username = json["username"]?.stringValue,
            let account = TrackerAccount(json, username: username)
        else { throw TrackerError(.damaged, "The keychain contains incomplete credentials. Log in again.") }
        return account
    }

    /// See ``CredentialStore/save(_:)``.
    public func save(_ account: TrackerAccount) async throws(TrackerError) {
        let bytes = JSONValue.object(account.json).jsonBytes()
        try mappingErrors { () throws(KeyError) in
            guard try !item.update(bytes) else { return }
            // Another process may have added the item in the meantime.
            if try !item.add(bytes) { _ = try item.update(bytes) }
        }
    }

    /// See ``CredentialStore/remove()``.
    public func remove() async throws(TrackerError) {
        _ = try mappingErrors { () throws(KeyError) in try item.remove() }
    }

    private func mappingErrors<Value>(_ call: () throws(KeyError) -> Value) throws(TrackerError) -> Value {
        do throws(KeyError) {
            return try call()
        } catch {
            throw TrackerError(.locked, error.message)
        }
    }
}
