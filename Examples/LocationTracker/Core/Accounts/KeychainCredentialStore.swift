//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Security)
    import Foundation
    import GodwitJSON
    import Security

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

        private var query: [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: KeychainCredentialStore.service,
                kSecAttrAccount: identifier,
            ]
        }

        /// See ``CredentialStore/load()``.
        public func load() async throws(TrackerError) -> TrackerAccount? {
            var query = query
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = result as? Data else { throw failure("read", status) }
            guard let json = try? JSONValue(parsing: Array(data)), let username = json["username"]?.stringValue,
                let account = TrackerAccount(json, username: username)
            else { throw TrackerError(.damaged, "The keychain contains incomplete credentials. Log in again.") }
            return account
        }

        /// See ``CredentialStore/save(_:)``.
        public func save(_ account: TrackerAccount) async throws(TrackerError) {
            let data = Data(JSONValue.object(account.json).jsonBytes())
            let updateStatus = SecItemUpdate(query as CFDictionary, [kSecValueData: data] as CFDictionary)
            if updateStatus == errSecSuccess { return }
            guard updateStatus == errSecItemNotFound else { throw failure("changed", updateStatus) }
            var item = query
            item[kSecValueData] = data
            item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let status = SecItemAdd(item as CFDictionary, nil)
            guard status == errSecSuccess else { throw failure("made", status) }
        }

        /// See ``CredentialStore/remove()``.
        public func remove() async throws(TrackerError) {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw failure("removed", status) }
        }

        private func failure(_ action: String, _ status: OSStatus) -> TrackerError {
            let reason = SecCopyErrorMessageString(status, nil) as String? ?? "status \(status)"
            return TrackerError(.locked, "The keychain item of the credentials cannot be \(action): \(reason).")
        }
    }
#endif
