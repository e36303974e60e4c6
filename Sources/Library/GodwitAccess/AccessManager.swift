//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitTransport

/// Logs in the user of an app to a Godwit server, keeps the session, and provides its access tokens. On the server, an
/// administrator has declared an application for the app, and the user has an account of this application.
///
/// ```swift
/// let access = try AccessManager(
///     server: "https://sync.example.org", application: "com.example.trips", version: "1.2",
///     storage: FileSessionStorage(path: path), wiping: [manager, keys], transport: transport)
/// let login = try await access.logIn(name: "ann", password: password)
/// let remote = try RemoteEndpoint.couchDB(
///     "https://sync.example.org/\(login.database)", credentials: .tokens(access))
/// ```
///
/// An access token is valid for a quarter of an hour. The manager renews the token in two cases: before the token
/// expires, and when a server refuses the token. The refused request is repeated once with the new token. This also
/// works in the middle of a replication.
///
/// When the device is reported lost, the server orders the deletion of the app's data at the next renewal or logout.
/// The manager deletes the data that was passed as `wiping`, and reports the deletion. The order is also sent if the
/// device was offline for months in the meantime.
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
    private var loaded: AccessSession?
    /// The task that last saved the session. The next save begins after this task has ended.
    private var lastSave: Task<Result<Void, any Error>, Never>?
    private var accessToken: AccessToken?
    /// The number of logins and logouts so far. If this number changes during a renewal, the answer of the renewal is
    /// ignored, because it belongs to an earlier session.
    private var generation = 0
    /// The renewal in progress. All requests that need a token wait for the same renewal. If one of these requests is
    /// cancelled, the renewal continues.
    private var renewal: Task<Result<String, AccessError>, Never>?
    private var lastForbidden: ContinuousClock.Instant?
    private var delegates: [String: any AuthenticationDelegate] = [:]
    private var listeners: [Int: AsyncStream<AccessNotice>.Continuation] = [:]
    private var listenersCount = 0

    /// Creates a manager, without sending a request.
    ///
    /// - Parameters:
    ///   - server: The URL of the server, `https://host`.
    ///   - application: The id of the application.
    ///   - device: The details of the device for the list of the user's devices.
    ///   - version: The version of the app; `nil` if the application does not check versions.
    ///   - storage: Stores the session. By default, the session is not stored, and the user must log in after each
    ///     start of the app.
    ///   - wiping: The data to delete when the device is reported lost, in the order of deletion. Databases must
    ///     precede their keys.
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

    /// The id of this device, which stays the same for all logins as long as the storage exists and can be parsed.
    public var device: String {
        get async throws(AccessError) { try await session().device }
    }

    /// Registers the delegate that answers the challenges of a realm. The manager retains the delegate. A login at the
    /// realm begins automatically when a token is needed and the session, which began with a login at this realm, has
    /// ended. If no user has ever logged in, a login at a realm begins only if exactly one realm has a delegate.
    ///
    /// - Parameter delegate: The delegate; `nil` to remove it.
    public func register(_ delegate: (any AuthenticationDelegate)?, for realm: String) {
        delegates[realm] = delegate
    }

    func delegate(for realm: String) -> (any AuthenticationDelegate)? { delegates[realm] }

    /// A new stream of the events of the session that occur from now on. An app shows them to its user.
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

    /// Returns an access token. Requests and replications call this method. An app rarely needs to call it.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/network`` or
    ///   ``ReplicationError/Code/peerFailed`` if the same call may succeed later, ``ReplicationError/Code/cancelled``
    ///   if the task was cancelled, or ``ReplicationError/Code/unauthorized`` for any other reason, for example because
    ///   the user has to log in.
    public func token(after refusal: TokenRefusal?) async throws -> String {
        do throws(AccessError) {
            return try await accessToken(after: refusal)
        } catch {
            throw error.replicationError
        }
    }

    /// Returns the value of the header `Authorization`, with a valid token.
    ///
    /// - Throws: ``AccessError``, for example if the user has to log in or the server cannot be reached.
    public func authorizationHeader() async throws(AccessError) -> String {
        "Bearer \(try await accessToken(after: nil))"
    }

    /// The value of the header `Authorization` if a valid token is in memory; otherwise `nil`. No request is sent.
    public var cachedAuthorizationHeader: String? { usableToken(after: nil).map { "Bearer \($0)" } }

    private func accessToken(after refusal: TokenRefusal?) async throws(AccessError) -> String {
        if let token = usableToken(after: refusal) { return token }
        if refusal?.status == 403, renewal == nil { lastForbidden = clock.now }
        let task = renewal ?? Task { await self.renew() }
        renewal = task
        guard let result = await valueUnlessCancelled(of: task) else {
            throw AccessError(.cancelled, "The request was cancelled.")
        }
        return try result.get()
    }

    /// The token in memory; `nil` if it expires soon or was refused.
    private func usableToken(after refusal: TokenRefusal?) -> String? {
        guard let accessToken, clock.now + .seconds(AccessLimits.renewalSeconds) < accessToken.expiry else {
            return nil
        }
        guard let refusal, refusal.token.isIdenticalText(to: accessToken.text) else { return accessToken.text }
        let wasRenewed = lastForbidden.map { clock.now < $0 + .seconds(AccessLimits.forbiddenSeconds) } ?? false
        return refusal.status == 403 && wasRenewed ? accessToken.text : nil
    }

    private func renew() async -> Result<String, AccessError> {
        defer { renewal = nil }
        do throws(AccessError) {
            return .success(try await renewedToken())
        } catch {
            return .failure(error)
        }
    }

    private func renewedToken() async throws(AccessError) -> String {
        let session = try await session()
        guard let refreshToken = session.refreshToken else { return try await tokenOfRealm(session) }
        let begun = generation
        do {
            let answer = try await server.post("refresh", body(["refresh_token": .string(refreshToken)]))
            guard begun == generation else { return try await tokenOfNewSession() }
            return try await accept(answer)
        } catch  where error.code == .refused {
            guard begun == generation else { return try await tokenOfNewSession() }
            try await removeSession()
            notify(.loggedOut)
            return try await tokenOfRealm(session)
        } catch {
            guard begun == generation else { return try await tokenOfNewSession() }
            try await handle(error)
            throw error
        }
    }

    /// Returns the token of the new session, if a user has logged in during a renewal.
    private func tokenOfNewSession() async throws(AccessError) -> String {
        guard let token = usableToken(after: nil) else { throw .loggedOut }
        return token
    }

    /// Logs in at the realm of a session and returns the new token. This requires that the realm has a delegate.
    private func tokenOfRealm(_ session: AccessSession) async throws(AccessError) -> String {
        let first = session.user == nil && delegates.count == 1 ? delegates.keys.first : nil
        guard let realm = session.realm ?? first, delegates[realm] != nil else { throw .loggedOut }
        _ = try await logIn(realm: realm)
        return try await tokenOfNewSession()
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
        let validSeconds = min(max(seconds, 0), AccessLimits.tokenSecondsMax)
        accessToken = AccessToken(text: text, expiry: clock.now + .seconds(validSeconds))
        try await save(session)
        if let warning = answer["warning"] {
            notify(
                .versionWarning(message: warning["message"]?.stringValue ?? "", url: warning["url"]?.stringValue))
        }
        return text
    }

    /// Handles an error that the server sent. If the device was reported lost, deletes the app's data. Otherwise,
    /// notifies the app if the error concerns its user.
    func handle(_ error: AccessError) async throws(AccessError) {
        switch error.code {
        case .deviceLost: try await wipe()
        case .versionRefused: notify(.versionRefused(message: error.message, url: error.url))
        case .blocked: notify(.blocked(message: error.message))
        default: break
        }
    }

    // MARK: The session

    /// Logs out on the server and on this device. The databases on the device remain, unless the device was reported
    /// lost.
    ///
    /// - Throws: ``AccessError`` if the server cannot be reached. Even then, the session is removed from this device.
    ///   On the server, the session remains until it expires. The code is ``AccessError/Code/deviceLost`` when the
    ///   app's data was deleted, or ``AccessError/Code/storage`` when the data could not be deleted or the session
    ///   could not be stored.
    public func logOut() async throws(AccessError) {
        guard let token = try await session().refreshToken else { return }
        let answer: Result<JSONValue, AccessError>
        do {
            answer = .success(try await server.post("logout", ["refresh_token": .string(token)]))
        } catch {
            answer = .failure(error)
        }
        if case .failure(let error) = answer, error.code == .deviceLost { try await handle(error) }
        try await removeSession()
        // If the session had already ended on the server, the logout was successful.
        if case .failure(let error) = answer, error.code != .refused { throw error }
    }

    /// Removes the session from this device, without a request to the server.
    public func clearAuthorizationData() async throws(AccessError) { try await removeSession() }

    func removeSession() async throws(AccessError) {
        beginGeneration()
        var session = try await session()
        session.logOut()
        try await save(session)
    }

    /// Removes the tokens from memory, and makes the answer of a renewal in progress invalid.
    func beginGeneration() {
        generation += 1
        accessToken = nil
    }

    /// Adds the version of the app to the body of a request.
    func body(_ members: JSONObject) -> JSONObject {
        var members = members
        if let version { members["version"] = .string(version) }
        return members
    }

    func session() async throws(AccessError) -> AccessSession {
        if let loaded { return loaded }
        let stored: AccessSession?
        do {
            stored = try await storage.load().flatMap { AccessSession($0) }
        } catch {
            throw AccessError(.storage, "The session cannot be read: \(error)")
        }
        // Another call may have loaded the session in the meantime.
        if let loaded { return loaded }
        let session = stored ?? AccessSession()
        loaded = session
        if stored == nil { try await save(session) }
        return session
    }

    /// Stores a session. If earlier calls of this method have not ended yet, waits for them first.
    func save(_ session: AccessSession) async throws(AccessError) {
        loaded = session
        let (earlier, storage, bytes) = (lastSave, storage, session.bytes)
        let task = Task { () -> Result<Void, any Error> in
            _ = await earlier?.value
            do {
                return .success(try await storage.save(bytes))
            } catch {
                return .failure(error)
            }
        }
        lastSave = task
        if case .failure(let error) = await task.value {
            throw AccessError(.storage, "The session cannot be stored: \(error)")
        }
    }
}
