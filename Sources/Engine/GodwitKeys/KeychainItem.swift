//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A secret of an app in the keychain of Apple's systems, a generic password.
///
/// The item can be read after the device has been unlocked for the first time since its start, also while it is locked
/// again. On systems without a keychain, each method throws ``KeyError/Code/unavailable``.
public struct KeychainItem: Sendable {
    /// Whether this system has a keychain.
    public static var isAvailable: Bool { Keychain.isPresent }

    /// The service of the item, for example the name of the app's part that uses it.
    public let service: String
    /// The account of the item, which is unique in the service.
    public let account: String
    /// Whether the item is left out of backups and of transfers to other devices.
    public let staysOnDevice: Bool

    /// Creates a description of an item, which may not exist yet.
    public init(service: String, account: String, staysOnDevice: Bool = false) {
        (self.service, self.account, self.staysOnDevice) = (service, account, staysOnDevice)
    }

    /// Reads the item; `nil` if it is absent.
    ///
    /// - Throws: ``KeyError/Code/unavailable`` if the keychain refuses access, for example on a locked device.
    public func read() throws(KeyError) -> [UInt8]? {
        try absentAsNil("read") { () throws(KeychainFailure) in
            try Keychain.read(service: service, account: account)
        }
    }

    /// Adds the item.
    ///
    /// - Returns: `false` if the item exists. In that case, it is not changed.
    /// - Throws: ``KeyError/Code/unavailable`` if the keychain refuses access.
    public func add(_ bytes: [UInt8]) throws(KeyError) -> Bool {
        do throws(KeychainFailure) {
            try Keychain.add(bytes, service: service, account: account, staysOnDevice: staysOnDevice)
            return true
        } catch {
            if case .exists = error { return false }
            throw failure("added", error)
        }
    }

    /// Replaces the bytes of the item.
    ///
    /// - Returns: `false` if the item is absent.
    /// - Throws: ``KeyError/Code/unavailable`` if the keychain refuses access.
    public func update(_ bytes: [UInt8]) throws(KeyError) -> Bool {
        try absentAsNil("changed") { () throws(KeychainFailure) in
            try Keychain.update(bytes, service: service, account: account)
        } != nil
    }

    /// Removes the item.
    ///
    /// - Returns: `false` if the item is absent.
    /// - Throws: ``KeyError/Code/unavailable`` if the keychain refuses access.
    @discardableResult
    public func remove() throws(KeyError) -> Bool {
        try absentAsNil("removed") { () throws(KeychainFailure) in
            try Keychain.remove(service: service, account: account)
        } != nil
    }

    private func absentAsNil<Value>(
        _ action: String, _ call: () throws(KeychainFailure) -> Value
    ) throws(KeyError) -> Value? {
        do throws(KeychainFailure) {
            return try call()
        } catch {
            if case .absent = error { return nil }
            throw failure(action, error)
        }
    }

    private func failure(_ action: String, _ failure: KeychainFailure) -> KeyError {
        let reason =
            switch failure {
            case .absent: "it does not exist"
            case .exists: "it exists already"
            case .refused(let reason): reason
            }
        return KeyError(.unavailable, "The keychain item \(account) cannot be \(action): \(reason).")
    }
}
