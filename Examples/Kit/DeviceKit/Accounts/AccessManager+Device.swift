//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitAccess
import GodwitKeys
import GodwitTransport

extension AccessManager {
    /// Creates a manager whose session is stored in an encrypted file, and reads the user of this session.
    ///
    /// - Parameters:
    ///   - server: The URL of the server.
    ///   - application: The id of the application.
    ///   - device: The details of the device.
    ///   - version: The version of the app; `nil` if the application does not check versions.
    ///   - folder: The folder of the file.
    ///   - key: The key of the file; `nil` for a file without encryption.
    ///   - wiping: The data to delete when the device is reported lost.
    ///   - transport: Sends the requests.
    /// - Returns: The manager, and the user's name; `nil` for the user if no user is signed in.
    /// - Throws: ``DeviceError`` with code `input` for an invalid URL, or `storage` if the session cannot be read.
    static func opened(
        server: String, application: String, device: AppDevice, version: String?, folder: String, key: EncryptionKey?,
        wiping: [any WipeableData], transport: any Transport
    ) async throws(DeviceError) -> (access: AccessManager, user: String?) {
        let access: AccessManager
        do throws(ReplicationError) {
            access = try AccessManager(
                server: server, application: application, device: device, version: version,
                storage: FileSessionStorage(path: "\(folder)/session", key: key.map { KnownKey($0) }), wiping: wiping,
                transport: transport)
        } catch {
            throw DeviceError(.input, error.message, cause: error)
        }
        do throws(AccessError) {
            return (access, try await access.user)
        } catch {
            throw DeviceError(.storage, error.message, cause: error)
        }
    }

    /// Logs out. If the server cannot be reached or reports an error, the session is removed only from this device. On
    /// the server, the session remains until it expires.
    ///
    /// - Throws: ``DeviceError`` with code `storage` if the session cannot be removed from this device.
    func signOut() async throws(DeviceError) {
        do throws(AccessError) {
            try await logOut()
        } catch {
            guard error.code == .storage else { return }
            throw DeviceError(.storage, error.message, cause: error)
        }
    }
}

extension DeviceError {
    /// Creates the error for a login that failed.
    init(login error: AccessError) {
        let code: Code = error.code == .network || error.code == .unavailable ? .unreachable : .refused
        self.init(code, error.message, cause: error)
    }
}
