//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitServer
import HTTPTypes
import Synchronization

/// The web console at `/_utils`: pages that use the same routes as any other client.
///
/// The sessions of the console have a separate cookie, `GodwitConsole`. If a request is authenticated by this cookie
/// and may change something, the header `X-Godwit-CSRF` of the request must contain the token of the session.
public final class ConsoleModule: ServerModule {
    /// The clients that may use the console.
    public enum Audience: Sendable {
        /// Clients on this machine that use a loopback name as host.
        case thisMachine
        /// All clients.
        case everyone
    }

    /// See ``ServerModule/name``.
    public let name = "Console"

    private let audience: Audience
    private let log: RecentLog?
    private let running = Mutex<RunningServer?>(nil)

    /// Creates the module.
    ///
    /// - Parameter audience: The clients that may use the console.
    public convenience init(for audience: Audience) { self.init(for: audience, log: nil) }

    /// Creates the module with the last lines of the server's log; `nil` if the console has no log.
    package init(for audience: Audience, log: RecentLog?) {
        self.audience = audience
        self.log = log
    }

    /// See ``ServerModule/homePage``.
    public var homePage: String? { "/_utils" }

    /// See ``ServerModule/routes``.
    public var routes: [Route] {
        let access: RouteAccess = audience == .everyone ? .login : .loopback
        return [
            Route(.get, "/_utils", access: access, work: .light, handler: page),
            Route(.get, "/_utils/session", access: access, work: .light, handler: showSession),
            Route(
                .post, "/_utils/session", access: access, condition: "name and password", work: .light,
                handler: logIn),
            Route(.delete, "/_utils/session", access: access, work: .light, handler: logOut),
            Route(.get, "/_utils/log", access: .administrator, work: .light, handler: showLog),
            Route(.get, "/_utils/lib/{library}/{file...}", access: access, work: .light, handler: library),
            Route(.get, "/_utils/{file...}", access: access, work: .light, handler: file),
        ]
    }

    /// See ``ServerModule/start(in:)``.
    public func start(in server: RunningServer) async throws { running.withLock { $0 = server } }

    // MARK: Files

    private static let pageName = "index.html"

    @Sendable private func page(_ context: RequestContext) async throws {
        try await send(ConsoleModule.pageName, context)
    }

    @Sendable private func file(_ context: RequestContext) async throws {
        try await send(context.request.parameter("file"), context)
    }

    private func send(_ name: String, _ context: RequestContext) async throws {
        guard let file = EmbeddedFile(name, in: "console") else {
            throw HTTPFailure(.notFound, "not_found", "The console has no such file.")
        }
        guard name == ConsoleModule.pageName else { return try await file.send(to: context) }
        let policy = PagePolicy(images: ["data:", "blob:"], media: ["blob:"], frames: ["blob:"])
        try await file.send(to: context, with: policy)
    }

    @Sendable private func library(_ context: RequestContext) async throws {
        guard let library = LibraryFile.Library(rawValue: context.request.parameter("library")) else {
            throw HTTPFailure(.notFound, "not_found", "The console has no such library.")
        }
        try await LibraryFile(context.request.parameter("file"), of: library).send(to: context.response)
    }

    // MARK: Log

    /// The maximum number of lines in a response.
    private static let logLinesMax = 300

    /// Sends the lines of the log whose line number is greater than the parameter `after`. If there are more than
    /// `logLinesMax` such lines, sends only the newest.
    @Sendable private func showLog(_ context: RequestContext) async throws {
        guard let log else {
            throw HTTPFailure(.notFound, "not_found", "This program keeps no lines of its log.")
        }
        let after = context.request.target.query.first { $0.name == "after" }.flatMap { Int($0.value) } ?? 0
        let lines = log.lines(after: after, limit: ConsoleModule.logLinesMax).map { line -> JSONValue in
            [
                "number": .integer(Int64(line.number)), "time": .string(line.time), "level": .string(line.level),
                "message": .string(line.message), "details": .string(line.details),
            ]
        }
        try await send(["lines": .array(lines), "newest": .integer(Int64(log.newestNumber))], nil, context)
    }

    // MARK: Sessions

    private var server: RunningServer {
        get throws {
            guard let server = running.withLock({ $0 }) else {
                throw HTTPFailure(.serviceUnavailable, "service_unavailable", "The console has not started.")
            }
            return server
        }
    }

    /// Sends the user and the token of the console's session, and the pages of other modules. If the request has no
    /// session, the name of the user is `null`.
    @Sendable private func showSession(_ context: RequestContext) async throws {
        let server = try server
        guard let (account, token) = try await server.authenticator.consoleUser(of: context.request) else {
            return try await send(["name": .null, "version": .string(godwitVersion)], nil, context)
        }
        try await send(try answer(for: account, token, server), nil, context)
    }

    @Sendable private func logIn(_ context: RequestContext) async throws {
        let server = try server
        let body = try await context.request.collectBody(bytesMax: ConsoleModule.loginBytesMax)
        let members = (try? JSONValue(parsing: body))?.objectValue
        guard let name = members?["name"]?.stringValue, let password = members?["password"]?.stringValue else {
            throw HTTPFailure(.badRequest, "bad_request", "The body needs the members name and password, both strings.")
        }
        let account = try await server.authenticator.logIn(
            name: name, password: password, from: context.request.peerAddress, beginsSession: true)
        let session = server.authenticator.beginConsoleSession(of: account)
        try await send(try answer(for: account, session.token, server), session.cookieHeader, context)
    }

    @Sendable private func logOut(_ context: RequestContext) async throws {
        try await send(["ok": true], try server.authenticator.endingConsoleCookieHeader, context)
    }

    private static let loginBytesMax = 16 << 10

    private func answer(for account: Account, _ token: String, _ server: RunningServer) throws -> JSONObject {
        let principal = try account.principal(.cookie)
        let pages = server.consolePages.filter { principal.isAdministrator || !$0.isForAdministrators }
        return [
            "name": .string(account.principalName), "roles": .array(principal.roles.map { .string($0) }),
            "token": .string(token), "version": .string(godwitVersion),
            "pages": .array(
                pages.map { ["id": .string($0.id), "title": .string($0.title), "script": .string($0.script)] }),
        ]
    }

    private func send(_ answer: JSONObject, _ cookieHeader: String?, _ context: RequestContext) async throws {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if let cookieHeader { headers[.setCookie] = cookieHeader }
        try await context.response.sendJSON(headers: headers, body: JSONValue.object(answer).jsonBytes())
    }
}
