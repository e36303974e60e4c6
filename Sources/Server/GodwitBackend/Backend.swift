//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitClientNIO
import GodwitJSON
public import GodwitServer
public import GodwitStore
import Logging

/// Manages applications and their users. Users can register and log in, and each user has a private database. An
/// application may also have one database that contains the changes of all users.
///
/// ```swift
/// let backend = Backend(manager: manager, applications: [tracker])
/// // As modules of a server: the back end first, then an application's own routes, which call it.
/// let registration = try await backend.register(
///     "alice", password: "…", in: "locationtracker", from: request.peerAddress)
/// ```
public final class Backend: ServerModule {
    /// See ``ServerModule/name``.
    public let name = "GodwitBackend"

    let manager: DatastoreManager
    let directory: ApplicationDirectory
    let keys = KeyCache()
    let templates = UserTemplates()
    let registrations = RateLimit()
    let providers: ProviderClients
    let loginFlows = LoginFlows { WallClock.seconds }
    let usedTokens = UsedTokens { WallClock.seconds }
    let realms: [String: any LoginRealm]
    let realmStates = SealedStates { WallClock.seconds }
    let passkeyDomain: String?
    let passkeyStates = SealedStates { WallClock.seconds }
    let providerLogins = RateLimit()
    let mails = MailQueue()
    let mailRequests = RateLimit()
    let mailUses = RateLimit()
    let loginPages = RateLimit()
    let codeFailures = RateLimit(seconds: BackendLimits.codeFailureSeconds)
    let mailRecipients = RateLimit(seconds: 3_600)
    let waitingLogins = ConcurrencyLimit(
        countMax: BackendLimits.providerLoginsTogetherMax,
        networkCountMax: BackendLimits.networkProviderLoginsTogetherMax,
        peerCountMax: BackendLimits.loginsOfProviderTogetherMax)
    /// Serializes the changes of each account.
    let accountLock = KeyedAsyncLock<String>()
    private let running = Mutex<(server: RunningServer, tokens: AccessTokens)?>(nil)
    private let consolidations = Mutex<[String: Consolidation]>([:])
    /// The background work of applications, which ``run()`` starts in the order in which it was added.
    private let works: AsyncStream<@Sendable () async -> Void>
    private let added: AsyncStream<@Sendable () async -> Void>.Continuation

    /// Creates the module.
    ///
    /// - Parameters:
    ///   - manager: The server's databases.
    ///   - applications: Applications of the server. Requests can declare further applications, whose declarations are
    ///     stored with the databases.
    ///   - realms: The program's own ways to log in, keyed by the names of providers of kind `custom`.
    ///   - passkeyDomain: The domain at which administrators can use passkeys, in addition to `localhost`. Passkeys
    ///     cannot be used at its subdomains. If it is `nil`, passkeys can be used only at `localhost`.
    public init(
        manager: DatastoreManager, applications: [Application] = [], realms: [String: any LoginRealm] = [:],
        passkeyDomain: String? = nil
    ) {
        self.manager = manager
        (self.realms, self.passkeyDomain) = (realms, passkeyDomain?.lowercased())
        directory = ApplicationDirectory(manager: manager, given: applications)
        let transport = AsyncHTTPTransport()
        providers = ProviderClients { $0.client(transport: transport) { WallClock.seconds } }
        (works, added) = AsyncStream.makeStream()
    }

    /// Creates the applications' databases, and completes operations that a crash interrupted.
    public func start(in server: RunningServer) async throws {
        let tokens = AccessTokens()
        running.withLock { $0 = (server, tokens) }
        try await directory.load()
        for application in directory.all { try await ApplicationSetup(application: application, server: server).run() }
        for application in directory.all { begin(application) }
        if !directory.all.isEmpty { server.recordSecurityEvents() }
        manager.observeCommits { [weak self] name in self?.committed(name) }
        try await finishIntents()
    }

    /// Consolidates changes, sends mails, and ends the requests of blocked and removed users, until the task is
    /// cancelled.
    public func run() async {
        let logger = try? server.logger
        await withDiscardingTaskGroup { group in
            if let logger { group.addTask { await self.mails.run(logger: logger) } }
            for await work in works { group.addTask(operation: work) }
        }
    }

    /// The module's routes: `/_apps`.
    public var routes: [Route] {
        ApplicationRoutes(backend: self).routes + AccountRoutes(backend: self).routes
            + LoginRoutes(backend: self).routes + DeviceRoutes(backend: self).routes
            + ProviderRoutes(backend: self).routes + MailRoutes(backend: self).routes
            + SecondFactorRoutes(backend: self).routes + AccountAdministrationRoutes(backend: self).routes
            + PermissionRoutes(backend: self).routes
            + BluelistRoutes(backend: self).routes + PasskeyRoutes(backend: self).routes
    }

    /// The server.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notStarted`` before the server starts.
    var server: RunningServer {
        get throws { try started().server }
    }

    var tokens: AccessTokens {
        get throws { try started().tokens }
    }

    private func started() throws(AccountError) -> (server: RunningServer, tokens: AccessTokens) {
        guard let running = running.withLock({ $0 }) else {
            throw AccountError(.notStarted, "The server has not started yet.")
        }
        return running
    }

    // MARK: Applications

    /// Returns an application.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/applicationNotFound`` when the application does not
    ///   exist.
    public func application(_ id: String) throws(AccountError) -> Application {
        guard let application = directory.application(id) else {
            throw AccountError(.applicationNotFound, "No application has this id.")
        }
        return application
    }

    /// Declares or changes an application, and creates its databases. Existing databases keep their documents. If the
    /// application was an argument when the server was started, the change applies only until the server stops.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidApplication`` when the declaration is invalid,
    ///   when one of its databases belongs to another application, and when it changes the name of a database that is
    ///   not shared. The code is ``AccountError/Code/notStarted`` before the server starts.
    public func declare(_ application: Application) async throws {
        try await accountLock.withLock("") {
            let known = directory.application(application.id)
            let isNew = known == nil
            try directory.check(application)
            if isNew || directory.bluelist == nil { try await checkBluelistPaths(of: application) }
            try await ApplicationSetup(application: application, server: try server).run()
            try await directory.keep(application)
            if isNew { begin(application) } else if known?.consolidated == nil { consolidate(application) }
            try server.recordSecurityEvents()
            // The new declaration may refuse versions of the app that were served before. This call ends the open feeds
            // of such versions.
            try await server.revoke { principal in
                principal.membership.map {
                    $0.application.isIdenticalText(to: application.id) && !application.versions.matches($0.version)
                } ?? false
            }
        }
    }

    /// Checks that no database has the name of a path of the Bluelist adapter.
    private func checkBluelistPaths(of application: Application) async throws {
        guard application.hasBluelist else { return }
        for name in ["bluelist", "adapters"]
        where try await !manager.names(in: IDRange(lower: name, upper: name), limit: 1).isEmpty {
            throw AccountError.invalidApplication(
                "bluelist cannot be used while a database has the name \(name), which is one of its paths")
        }
    }

    /// Removes an application. Its users cannot log in any more, and its databases remain unchanged.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/applicationNotFound``, or
    ///   ``AccountError/Code/notAllowed`` when the application was an argument when the server was started.
    public func forget(_ id: String) async throws {
        _ = try application(id)
        try await directory.forget(id)
        let ended = consolidations.withLock { $0.removeValue(forKey: id) }
        ended?.end()
        try await server.revoke { ExactText.areEqual($0.membership?.application, id) }
    }

    /// Returns the accounts of an application.
    func accounts(_ application: Application) -> AccountStore {
        AccountStore(application: application, manager: manager, keys: keys)
    }

    private func begin(_ application: Application) {
        consolidate(application)
        added.yield { [self] in await watch(application) }
    }

    /// Begins the consolidation of an application that has a consolidated database.
    private func consolidate(_ application: Application) {
        guard application.consolidated != nil else { return }
        let consolidation = Consolidation(application: application, manager: manager, logger: try? server.logger)
        consolidations.withLock { $0[application.id] = consolidation }
        added.yield { await consolidation.run() }
    }

    // MARK: Background work

    /// Returns the consolidation of an application; `nil` without a consolidated database.
    func consolidation(of application: Application) -> Consolidation? {
        consolidations.withLock { $0[application.id] }
    }

    /// Tells all consolidations that a transaction has written to a database.
    private func committed(_ name: String) {
        for consolidation in consolidations.withLock({ Array($0.values) }) { consolidation.committed(name) }
    }

    /// Ends the requests of users whose accounts are removed or blocked. This method reads the changes of the database
    /// of accounts. Therefore it also works if a client or a replication changes the document of an account directly,
    /// or if the database is deleted.
    private func watch(_ application: Application) async {
        var position: UpdateSequence?
        while directory.application(application.id) != nil, !Task.isCancelled {
            do {
                try await watch(application, after: &position)
            } catch let error as StoreError where error.code == .databaseNotFound {
                // There are no accounts. All changes of a new database are read, because some may come before this loop
                // finds it.
                if let last = position, last != .zero { await revokeAll(of: application) }
                position = .zero
            } catch {
                guard !Task.isCancelled else { return }
                try? server.logger.error("the changes of accounts cannot be read", metadata: ["cause": "\(error)"])
            }
            // The database was closed or deleted, or could not be read.
            try? await Task.sleep(for: .seconds(BackendLimits.watchRetrySeconds))
        }
    }

    private func revokeAll(of application: Application) async {
        try? await server.revoke { ExactText.areEqual($0.membership?.application, application.id) }
    }

    private func watch(_ application: Application, after position: inout UpdateSequence?) async throws {
        let accounts = accounts(application)
        let users = try await accounts.users
        let start = position ?? users.updateSequence
        position = start
        for try await change in users.changes(since: start) {
            position = change.sequence
            let account = try await accounts.account(named: change.id)
            guard account.map(\.isBlocked) ?? true else { continue }
            try await server.revoke {
                $0.membership?.belongs(to: change.id, of: application.id) ?? false
            }
        }
    }
}
