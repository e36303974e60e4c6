//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Godwit

/// The app's server and its user.
///
/// Origin: `IMFClient`. New: ``GodwitAccess/AccessManager``.
@available(*, deprecated, message: "Use AccessManager.")
public final class IMFClient: @unchecked Sendable {
    // Proof of `Sendable`: the lock guards the members that change.
    private static let shared = IMFClient()

    /// Returns the client of the app.
    ///
    /// Origin: `sharedInstance`. New: ``GodwitAccess/AccessManager``, one for each app.
    @available(*, deprecated, message: "Use AccessManager.")
    public static func sharedInstance() -> IMFClient { shared }

    private let lock = NSLock()
    private var current: AccessManager?
    private var route: String?

    /// Sets the server and the application of the app.
    ///
    /// - Parameters:
    ///   - backendRoute: The URL of the server.
    ///   - backendGUID: The id of the application.
    /// - Throws: ``CDTError`` with the code 400 for an invalid URL.
    ///
    /// Origin: `initializeWithBackendRoute:backendGUID:`. New: ``GodwitAccess/AccessManager``'s initializers.
    @available(*, deprecated, message: "Use AccessManager.")
    public func initialize(backendRoute: String, backendGUID: String) throws {
        let manager = try CDTError.converting { try AccessManager(server: backendRoute, application: backendGUID) }
        lock.withLock { (current, route) = (manager, backendRoute) }
    }

    /// The URL of the server; `nil` before ``initialize(backendRoute:backendGUID:)``.
    ///
    /// Origin: `backendRoute`. New: the app's own setting.
    public var backendRoute: String? { lock.withLock { route } }

    /// Returns the user's session.
    func access() throws -> AccessManager {
        guard let current = lock.withLock({ current }) else {
            throw CDTError(400, "IMFClient has no server yet. Call initialize(backendRoute:backendGUID:) first.")
        }
        return current
    }
}

/// The login of the app's user.
///
/// Origin: `IMFAuthorizationManager`. New: ``GodwitAccess/AccessManager``.
@available(*, deprecated, message: "Use AccessManager.")
public final class IMFAuthorizationManager: Sendable {
    private static let shared = IMFAuthorizationManager()

    /// Returns the manager of the app.
    ///
    /// Origin: `sharedInstance`. New: ``GodwitAccess/AccessManager``, one for each app.
    @available(*, deprecated, message: "Use AccessManager.")
    public static func sharedInstance() -> IMFAuthorizationManager { shared }

    /// Logs in with a name and a password. The app itself must show the dialogs that the old service showed.
    ///
    /// - Returns: The user's name.
    /// - Throws: ``CDTError`` with the code 401 if the login fails for any reason, for example because the server
    ///   cannot be reached; 400 before ``IMFClient/initialize(backendRoute:backendGUID:)``.
    ///
    /// Origin: `obtainAuthorizationHeaderWithCompletionHandler:`, with a custom realm. New:
    /// ``GodwitAccess/AccessManager/logIn(name:password:)``.
    @available(*, deprecated, message: "Use AccessManager.logIn(name:password:).")
    @discardableResult
    public func logIn(name: String, password: String) async throws -> String {
        do {
            return try await IMFClient.sharedInstance().access().logIn(name: name, password: password).user
        } catch let error as CDTError {
            throw error
        } catch {
            throw CDTError(401, "\(error)", cause: error)
        }
    }

    /// Returns the header that authenticates requests of the user. If the header has expired, it is renewed first.
    ///
    /// - Throws: ``CDTError`` with the code 401 if the header cannot be renewed for any reason, for example because the
    ///   user must log in; 400 before ``IMFClient/initialize(backendRoute:backendGUID:)``.
    ///
    /// Origin: `obtainAuthorizationHeaderWithCompletionHandler:`. New:
    /// ``GodwitAccess/AccessManager/authorizationHeader()``.
    @available(*, deprecated, message: "Use AccessManager.authorizationHeader().")
    public func obtainAuthorizationHeader() async throws -> String {
        do {
            return try await IMFClient.sharedInstance().access().authorizationHeader()
        } catch let error as CDTError {
            throw error
        } catch {
            throw CDTError(401, "\(error)", cause: error)
        }
    }

    /// Ends the session.
    ///
    /// Origin: `clearAuthorizationData`. New: ``GodwitAccess/AccessManager/clearAuthorizationData()``.
    @available(*, deprecated, message: "Use AccessManager.clearAuthorizationData().")
    public func clearAuthorizationData() async throws {
        do {
            try await IMFClient.sharedInstance().access().clearAuthorizationData()
        } catch {
            throw CDTError(error)
        }
    }
}
