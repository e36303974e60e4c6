//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason why an item of the keychain was not read or changed.
package enum KeychainFailure: Error {
    /// No item has this service and account.
    case absent
    /// An item with this service and account exists.
    case exists
    /// The keychain refused, for example on a locked device, or the system has none. The text is the system's reason.
    case refused(String)
}

#if canImport(Security)
    import Foundation
    import Security

    /// The generic passwords in the keychain of Apple's systems.
    package enum Keychain {
        /// Whether this system has a keychain.
        package static let isPresent = true

        /// Reads an item.
        package static func read(service: String, account: String) throws(KeychainFailure) -> [UInt8] {
            var query = query(service, account)
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var item: CFTypeRef?
            try check(SecItemCopyMatching(query as CFDictionary, &item))
            guard let data = item as? Data else { throw .refused("the item has no data") }
            return Array(data)
        }

        /// Adds an item, which can be read after the device has been unlocked for the first time since its start.
        ///
        /// - Parameter staysOnDevice: Whether the item is left out of backups and of transfers to other devices.
        package static func add(
            _ bytes: [UInt8], service: String, account: String, staysOnDevice: Bool
        ) throws(KeychainFailure) {
            var item = query(service, account)
            item[kSecValueData] = Data(bytes)
            item[kSecAttrAccessible] =
                staysOnDevice
                ? kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly : kSecAttrAccessibleAfterFirstUnlock
            try check(SecItemAdd(item as CFDictionary, nil))
        }

        /// Replaces the bytes of an item.
        package static func update(_ bytes: [UInt8], service: String, account: String) throws(KeychainFailure) {
            let change = [kSecValueData: Data(bytes)] as CFDictionary
            try check(SecItemUpdate(query(service, account) as CFDictionary, change))
        }

        /// Removes an item.
        package static func remove(service: String, account: String) throws(KeychainFailure) {
            try check(SecItemDelete(query(service, account) as CFDictionary))
        }

        private static func query(_ service: String, _ account: String) -> [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
        }

        private static func check(_ status: OSStatus) throws(KeychainFailure) {
            switch status {
            case errSecSuccess: return
            case errSecItemNotFound: throw .absent
            case errSecDuplicateItem: throw .exists
            default: throw .refused(SecCopyErrorMessageString(status, nil) as String? ?? "status \(status)")
            }
        }
    }
#else
    /// The keychain of Apple's systems, which this system does not have. Each call throws
    /// ``KeychainFailure/refused(_:)``.
    package enum Keychain {
        /// Whether this system has a keychain.
        package static let isPresent = false

        private static let failure = KeychainFailure.refused("this system has no keychain")

        /// Always throws the failure.
        package static func read(service: String, account: String) throws(KeychainFailure) -> [UInt8] { throw failure }

        /// Always throws the failure.
        package static func add(
            _ bytes: [UInt8], service: String, account: String, staysOnDevice: Bool
        ) throws(KeychainFailure) { throw failure }

        /// Always throws the failure.
        package static func update(_ bytes: [UInt8], service: String, account: String) throws(KeychainFailure) {
            throw failure
        }

        /// Always throws the failure.
        package static func remove(service: String, account: String) throws(KeychainFailure) { throw failure }
    }
#endif
