//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitKeys
public import GodwitStore

/// Data on a device that an ``AccessManager`` deletes when the device is reported lost.
public protocol WipeableData: Sendable {
    /// Deletes the data. After a crash, this method is called again. Therefore it must not throw an error for data that
    /// is already deleted.
    func wipe() async throws
}

extension DatastoreManager: WipeableData {
    /// Deletes all databases of the manager, with their attachments and indexes.
    public func wipe() async throws {
        for name in try await names() {
            do throws(StoreError) {
                try await delete(named: name)
            } catch {
                guard error.code == .databaseNotFound else { throw error }
            }
        }
    }
}

extension KeyFileProvider: WipeableData {
    /// Deletes the file of the key.
    public func wipe() async throws { try await file.remove() }
}

extension KernelKeyringProvider: WipeableData {
    /// Removes the key from the ring.
    public func wipe() async throws { try await ignoringAbsence { () throws(KeyError) in try await remove() } }
}

extension KeychainProvider: WipeableData {
    /// Removes the key from the keychain.
    public func wipe() async throws { try await ignoringAbsence { () throws(KeyError) in try remove() } }
}

/// Removes a key. If the key is absent, no error is thrown.
private func ignoringAbsence(_ remove: () async throws(KeyError) -> Void) async throws(KeyError) {
    do {
        try await remove()
    } catch {
        guard error.code == .noKey else { throw error }
    }
}
