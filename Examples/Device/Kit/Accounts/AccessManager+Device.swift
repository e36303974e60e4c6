//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitAccess

extension AccessManager {
    /// Logs a user in with a name and a password. If requested, creates the account first.
    ///
    /// - Parameter registering: Whether to create the account before the login.
    /// - Throws: ``DeviceError`` with code `unreachable`, or `refused` for any other failure.
    public func signIn(
        _ name: String, password: String, registering: Bool
    ) async throws(DeviceError) -> AccessLogin {
        do throws(AccessError) {
            return registering
                ? try await register(name: name, password: password)
                : try await logIn(name: name, password: password)
        } catch {
            throw DeviceError(login: error)
        }
    }

    /// Logs out. If the server cannot be reached or reports an error, the session is removed only from this device. On
    /// the server, the session remains until it expires.
    ///
    /// - Throws: ``DeviceError`` with code `storage` if the session cannot be removed from this device.
    public func signOut() async throws(DeviceError) {
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
    public init(login error: AccessError) {
        let code: Code = error.code == .network || error.code == .unavailable ? .unreachable : .refused
        self.init(code, error.message, cause: error)
    }
}
