//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitAccess
public import GodwitKeys
public import GodwitTransport
public import Observation

/// The session of an app on a device: the screen that the app shows, the user, and the events of the login.
///
/// The data of the app opens the session (``open(key:wiping:isGuest:onNotice:)``), and the session says whether a user
/// is signed in. A user who was signed in when the app was closed is signed in again, even without a network.
@MainActor @Observable
public final class DeviceSession {
    /// The screen that an app shows.
    public enum Stage: String, Sendable {
        /// The user chooses a passphrase, which protects the data on the device.
        case new
        /// The user enters the passphrase.
        case locked
        /// The user signs in or registers.
        case signedOut
        /// The app, for a user or a guest.
        case ready
    }

    /// The screen that the app shows.
    public private(set) var stage = Stage.locked
    /// The name of the user's account; `nil` while no user is signed in.
    public private(set) var user: String?
    /// The operation in progress, in words; `nil` if there is none.
    public var busy: String?
    /// The last event of the session that the user should see; `nil` for none.
    public private(set) var notice: AccessNotice?

    /// The URL of the server.
    public let server: String
    /// The manager of the login; `nil` while the data is locked.
    @ObservationIgnored public private(set) var access: AccessManager?

    private let application: String
    private let folder: String
    private let transport: any Transport
    private let device: AppDevice
    private let version: String
    @ObservationIgnored private var noticesTask: Task<Void, Never>?

    /// Creates a session that is not open.
    ///
    /// - Parameters:
    ///   - server: The URL of the server.
    ///   - application: The id of the application on the server.
    ///   - folder: The directory of the app's data. The session is stored in it.
    ///   - transport: The transport that sends the requests.
    ///   - device: The description of the device for the list of the user's devices.
    ///   - version: The version of the app.
    public init(
        server: String, application: String, folder: String, transport: any Transport, device: AppDevice,
        version: String
    ) {
        (self.server, self.application, self.folder) = (server, application, folder)
        (self.transport, self.device, self.version) = (transport, device, version)
    }

    // MARK: The key of the data

    /// Opens the data if its key is available. If not, ``stage`` is `new` or `locked`.
    ///
    /// - Parameters:
    ///   - home: The directory of the data, and its key.
    ///   - open: A closure that opens the data and this session.
    public func start(
        _ home: DeviceHome, open: (EncryptionKey) async throws(DeviceError) -> Void
    ) async throws(DeviceError) {
        try home.create()
        switch try await home.keyState() {
        case .open(let key): try await open(key)
        case .locked: waitForPassphrase(isNew: false)
        case .new: waitForPassphrase(isNew: true)
        }
    }

    /// Opens the data with the user's passphrase. On a new device, this call sets the passphrase.
    ///
    /// - Throws: ``DeviceError`` with code `locked` if the passphrase is wrong, or `input` if a new passphrase is too
    ///   short; errors of `open`.
    public func unlock(
        _ home: DeviceHome, passphrase: String, open: (EncryptionKey) async throws(DeviceError) -> Void
    ) async throws(DeviceError) {
        busy = "unlocking"
        defer { busy = nil }
        try await open(try await home.key(passphrase: passphrase))
    }

    /// Shows the screen for the passphrase.
    ///
    /// - Parameter isNew: Whether the user chooses the passphrase.
    public func waitForPassphrase(isNew: Bool) { stage = isNew ? .new : .locked }

    /// Opens the session that is stored on the device.
    ///
    /// - Parameters:
    ///   - key: The key of the data; `nil` if it is not encrypted.
    ///   - wiping: The data to delete when the device is reported lost.
    ///   - isGuest: Whether the app is shown although no user is signed in.
    ///   - onNotice: A closure that is called after each event of the session. After the event `loggedOut` no user is
    ///     signed in; after `wiped` the data is deleted, and the app must begin as on a new device.
    /// - Throws: ``DeviceError`` with code `input` for an invalid URL, or `storage` if the session cannot be read.
    public func open(
        key: EncryptionKey?, wiping: [any WipeableData], isGuest: Bool,
        onNotice: @escaping @MainActor (AccessNotice) async -> Void
    ) async throws(DeviceError) {
        let (access, user) = try await AccessManager.opened(
            server: server, application: application, device: device, version: version, folder: folder, key: key,
            wiping: wiping, transport: transport)
        (self.access, self.user) = (access, user)
        stage = user != nil || isGuest ? .ready : .signedOut
        let notices = await access.notices
        noticesTask = Task { [weak self] in
            for await notice in notices {
                self?.take(notice)
                await onNotice(notice)
            }
        }
    }

    private func take(_ newNotice: AccessNotice) {
        notice = newNotice
        if case .loggedOut = newNotice { (user, stage) = (nil, .signedOut) }
    }

    /// Ends the work of the session in the background. The user remains signed in.
    public func close() {
        noticesTask?.cancel()
        noticesTask = nil
    }

    /// Closes the session of data that was removed. No user is signed in.
    public func end() {
        close()
        (access, user) = (nil, nil)
    }

    // MARK: Signing in

    /// Shows the app to a guest.
    public func enterAsGuest() { stage = .ready }

    /// Shows the screen to sign in.
    ///
    /// - Throws: ``DeviceError`` with code `input` if a user is signed in.
    public func showSignIn() throws(DeviceError) {
        try checkIsSignedOut()
        stage = .signedOut
    }

    /// Checks that no user is signed in.
    ///
    /// - Throws: ``DeviceError`` with code `input` if a user is signed in.
    public func checkIsSignedOut() throws(DeviceError) {
        guard user == nil else { throw DeviceError(.input, "Sign out first.") }
    }

    /// Signs a user in.
    ///
    /// - Parameters:
    ///   - logIn: A closure that logs in.
    ///   - prepare: A closure that is called with the name of the user's account before the app is shown. If it throws,
    ///     the app is not shown.
    /// - Throws: ``DeviceError`` with code `unreachable`, or `refused` for any other failure of the login; `input` if a
    ///   user is signed in; `locked` if the session is not open; errors of `prepare`.
    public func signIn(
        _ logIn: @Sendable (AccessManager) async throws(AccessError) -> AccessLogin,
        prepare: (_ user: String) async throws(DeviceError) -> Void = { _ in }
    ) async throws(DeviceError) {
        guard let access else { throw DeviceError(.locked, "Unlock the device first.") }
        try checkIsSignedOut()
        busy = "signing in"
        defer { busy = nil }
        let login: AccessLogin
        do throws(AccessError) {
            login = try await logIn(access)
        } catch {
            throw DeviceError(login: error)
        }
        try await prepare(login.user)
        (user, notice, stage) = (login.user, nil, .ready)
    }

    /// Signs a user in with a name and a password.
    ///
    /// - Parameters:
    ///   - registering: Whether to create the account before the login.
    ///   - prepare: A closure that is called with the name of the user's account before the app is shown.
    /// - Throws: As ``signIn(_:prepare:)``.
    public func signIn(
        _ name: String, password: String, registering: Bool,
        prepare: (_ user: String) async throws(DeviceError) -> Void = { _ in }
    ) async throws(DeviceError) {
        try await signIn(
            { (access) throws(AccessError) in
                registering
                    ? try await access.register(name: name, password: password)
                    : try await access.logIn(name: name, password: password)
            }, prepare: prepare)
    }

    /// Logs the user out. An error of the server is ignored. The user remains signed in until ``end()``.
    ///
    /// - Throws: ``DeviceError`` with code `storage` if the session cannot be removed from this device.
    public func signOut() async throws(DeviceError) { try await access?.signOut() }
}

/// The model of an app whose data belongs to a user.
@MainActor
public protocol DeviceModel: AnyObject {
    /// The session.
    var session: DeviceSession { get }
}

extension DeviceModel {
    /// The screen that the app shows.
    public var stage: DeviceSession.Stage { session.stage }
    /// The name of the user's account; `nil` while no user is signed in.
    public var user: String? { session.user }
    /// The operation in progress, in words; `nil` if there is none.
    public var busy: String? { session.busy }
    /// The last event of the session that the user should see; `nil` for none.
    public var notice: AccessNotice? { session.notice }
    /// The URL of the server.
    public var server: String { session.server }
    /// The manager of the login; `nil` while the data is locked.
    public var access: AccessManager? { session.access }
}
