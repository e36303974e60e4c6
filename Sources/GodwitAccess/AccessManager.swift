//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient
import GodwitJSON
import GodwitThreads

/// Logs an app's user in at an application of a Godwit server, keeps the session, and provides its access tokens.
///
/// ```swift
/// let access = try AccessManager(
///     server: "https://sync.example.org", application: "com.example.trips", version: "1.2",
///     storage: FileSessionStorage(path: path), wiping: [manager, keys])
/// let login = try await access.logIn(name: "ann", password: password)
/// let remote = try RemoteEndpoint.couchDB(
///     "https://sync.example.org/\(login.database)", credentials: .tokens(access))
/// ```
///
/// An access token is valid for a quarter of an hour. The manager renews it before it expires, and when a server refuses
/// it, in the middle of a replication too: the request is repeated once with the new token.
///
/// When the device is reported lost, the server orders the deletion of the app's data at the next renewal. The manager
/// deletes the data of `wiping`, and reports it. The server orders it also to a device that was offline for months.
public actor AccessManager: AccessTokenSource {
    private struct AccessToken {
        let text: String
        let expiry: ContinuousClock.Instant
    }

    let server: AccessServer
    let details: AppDevice
    let version: String?
    let wiping: [any WipeableData]
    private let storage: any SessionStorage
    private let clock = ContinuousClock()
    /// Serialises logins, renewals and logouts.
    let lock = KeyedAsyncLock<String>()
    private var loaded: AccessSession?
    private var accessToken: AccessToken?
    private var lastForbidden: ContinuousClock.Instant?
    private var delegates: [String: any AuthenticationDelegate] = [:]
    private var listeners: [Int: AsyncStream<AccessNotice>.Continuation] = [:]
    private var listenersCount = 0

    /// Creates a manager. Sends nothing.
    ///
    /// - Parameters:
    ///   - server: The URL of the server, `https://host`.
    ///   - application: The id of the application.
    ///   - device: What the list of the user's devices shows.
    ///   - version: The version of the app; `nil` if the application does not check versions.
    ///   - storage: Stores the session. By default the user logs in after each start.
    ///   - wiping: The data to delete when the device is reported lost, in this order: databases before their keys.
    ///   - transport: Sends the requests.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidURL``.
    public init(
        server: String, application: String, device: AppDevice = AppDevice(), version: String? = nil,
        storage: any SessionStorage = MemorySessionStorage(), wiping: [any WipeableData] = [],
        transport: any Transport
    ) throws(ReplicationError) {
        self.server = AccessServer(
            try RemoteURL(server: server), application: application, transport: transport)
        (details, self.version, self.storage, self.wiping) = (device, version, storage, wiping)
    }

    // MARK: The user and the device

    /// The user's name; `nil` if no user is logged in.
    public var user: String? {
        get async throws(AccessError) {
            let session = try await session()
            return session.refreshToken == nil ? nil : session.user
        }
    }

    /// The name of the user's database on the server; `nil` if no user is logged in.
    public var database: String? {
        get async throws(AccessError) {
            let session = try await session()
            return session.refreshToken == nil ? nil : session.database
        }
    }

    /// The id of this device, which stays the same for all logins as long as the storage exists.
    public var device: String {
        get async throws(AccessError) { try await session().device }
    }

    /// Registers the delegate that answers the challenges of a realm. It is retained. A token that is needed while no user
    /// is logged in begins a login at the realm of the last login, or at the only realm with a delegate.
    ///
    /// - Parameter delegate: The delegate; `nil` to remove it.
    public func register(_ delegate: (any AuthenticationDelegate)?, for realm: String) {
        delegates[realm] = delegate
    }

    func delegate(for realm: String) -> (any AuthenticationDelegate)? { delegates[realm] }

    /// The events of the session from now on, for the app's user.
    public var notices: AsyncStream<AccessNotice> {
        let (stream, continuation) = AsyncStream<AccessNotice>.makeStream(
            bufferingPolicy: .bufferingNewest(AccessLimits.noticesWaitingMax))
        let number = listenersCount
        listenersCount += 1
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.removeListener(number) } }
        return stream
    }

    private func removeListener(_ number: Int) { listeners[number] = nil }

    func notify(_ notice: AccessNotice) {
        for listener in listeners.values { listener.yield(notice) }
    }

    // MARK: Tokens

    /// Returns an access token, as a request or a replication needs it. An app rarely calls it.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/network`` or
    ///   ``ReplicationError/Code/peerFailed`` if the same call may succeed later, or
    ///   ``ReplicationError/Code/unauthorized`` if the user has to log in.
    public func token(after refusal: TokenRefusal?) async throws -> String {
        do throws(AccessError) {
            return try await accessToken(after: refusal)
        } catch {
            throw error.replicationError
        }
    }

    /// Returns the value of the header `Authorization`, with a valid token.
    ///
    /// - Throws: ``AccessError`` if the user has to log in or the server cannot be reached.
    public func authorizationHeader() async throws(AccessError) -> String {
        "Bearer \(try await accessToken(after: nil))"
    }

    /// The value of the header `Authorization` without a request to the server; `nil` if no valid token is in memory.
    public var cachedAuthorizationHeader: String? { usableToken(after: nil).map { "Bearer \($0)" } }

    private func accessToken(after refusal: TokenRefusal?) async throws(AccessError) -> String {
        if let token = usableToken(after: refusal) { return token }
        return try await serialized { () throws(AccessError) in
            // Another request may have renewed the token in the meantime.
            if let token = self.usableToken(after: refusal) { return token }
            if refusal?.status == 403 { self.lastForbidden = self.clock.now }
            return try await self.renewedToken()
        }
    }

    /// The token in memory; `nil` if it expires soon or was refused.
    private func usableToken(after refusal: TokenRefusal?) -> String? {
        guard let accessToken, clock.now + .seconds(AccessLimits.renewalSeconds) < accessToken.expiry else {
            return nil
        }
        guard let refusal, refusal.token == accessToken.text else { return accessToken.text }
        let wasRenewed = lastForbidden.map { clock.now < $0 + .seconds(AccessLimits.forbiddenSeconds) } ?? false
        return refusal.status == 403 && wasRenewed ? accessToken.text : nil
    }

    private func renewedToken() async throws(AccessError) -> String {
        let session = try await session()
        if session.isLost { try await wipe() }
        guard let refreshToken = session.refreshToken else { return try await tokenOfRealm(session) }
        do {
            return try await accept(try await server.post("refresh", body(["refresh_token": .string(refreshToken)])))
        } catch  where error.code == .refused {
            try await endSession()
            return try await tokenOfRealm(session)
        } catch {
            try await handle(error)
            throw error
        }
    }

    /// Logs in at a realm, if a delegate can answer its challenges.
    private func tokenOfRealm(_ session: AccessSession) async throws(AccessError) -> String {
        let realm = session.realm ?? (delegates.count == 1 ? delegates.keys.first : nil)
        guard let realm, delegates[realm] != nil else { throw .loggedOut }
        _ = try await logInUnlocked(at: realm)
        guard let token = usableToken(after: nil) else { throw .loggedOut }
        return token
    }

    /// Stores the tokens of an answer.
    ///
    /// - Returns: The access token.
    @discardableResult
    func accept(
        _ answer: JSONValue, _ change: (inout AccessSession) -> Void = { _ in }
    ) async throws(AccessError) -> String {
        guard let text = answer["access_token"]?.stringValue, let seconds = answer["expires_in"]?.intValue,
            let refreshToken = answer["refresh_token"]?.stringValue
        else { throw AccessError(.failed, "The server's answer has no tokens.") }
        var session = try await session()
        session.refreshToken = refreshToken
        change(&session)
        try await save(session)
        accessToken = AccessToken(text: text, expiry: clock.now + .seconds(seconds))
        if let warning = answer["warning"] {
            notify(
                .versionWarning(message: warning["message"]?.stringValue ?? "", url: warning["url"]?.stringValue))
        }
        return text
    }

    /// Does what an error of the server demands: deletes the app's data, or notifies the app.
    func handle(_ error: AccessError) async throws(AccessError) {
        switch error.code {
        case .deviceLost:
            var session = try await session()
            session.isLost = true
            try await save(session)
            try await wipe()
        case .versionRefused: notify(.versionRefused(message: error.message, url: error.url))
        case .blocked: notify(.blocked(message: error.message))
        default: break
        }
    }

    // MARK: The session

    /// Logs out on the server and on this device. The databases on the device remain.
    ///
    /// - Throws: ``AccessError`` if the server cannot be reached. The session is removed from this device in any case, and
    ///   ends on the server when it expires.
    public func logOut() async throws(AccessError) {
        try await serialized { () throws(AccessError) in
            guard let token = try await self.session().refreshToken else { return }
            try await self.removeSession()
            do throws(AccessError) {
                _ = try await self.server.post("logout", ["refresh_token": .string(token)])
            } catch  where error.code == .refused {
                // The session had ended already.
            }
        }
    }

    /// Removes the session from this device, without a request to the server.
    public func clearAuthorizationData() async throws(AccessError) {
        try await serialized { () throws(AccessError) in try await self.removeSession() }
    }

    func endSession() async throws(AccessError) {
        try await removeSession()
        notify(.loggedOut)
    }

    func removeSession() async throws(AccessError) {
        accessToken = nil
        var session = try await session()
        session.logOut()
        try await save(session)
    }

    /// Adds the version of the app to the body of a request.
    func body(_ members: JSONObject) -> JSONObject {
        var members = members
        if let version { members["version"] = .string(version) }
        return members
    }

    func session() async throws(AccessError) -> AccessSession {
        if let loaded { return loaded }
        let session: AccessSession
        let isNew: Bool
        do {
            let stored = try await storage.load().flatMap { AccessSession($0) }
            (session, isNew) = (stored ?? AccessSession(), stored == nil)
        } catch {
            throw AccessError(.storage, "The session cannot be read: \(error)")
        }
        // Another call may have loaded it in the meantime.
        if let loaded { return loaded }
        if isNew { try await save(session) } else { loaded = session }
        return session
    }

    func save(_ session: AccessSession) async throws(AccessError) {
        loaded = session
        do {
            try await storage.save(session.bytes)
        } catch {
            throw AccessError(.storage, "The session cannot be stored: \(error)")
        }
    }

    /// Runs one operation at a time.
    func serialized<Result: Sendable>(
        _ operation: () async throws(AccessError) -> Result
    ) async throws(AccessError) -> Result {
        do {
            return try await lock.withLock("", operation)
        } catch let error as AccessError {
            throw error
        } catch {
            throw AccessError(.cancelled, "The login was cancelled.")
        }
    }
}
