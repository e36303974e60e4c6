//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// Responds to requests. For each request, it finds the route, identifies and authorizes the principal, and runs the
/// route's handler. It maps errors of the handler to CouchDB's error responses.
struct Responder: Sendable {
    let router: Router
    let gatekeeper: Gatekeeper
    let databases: DatabaseOpener
    let openRequests: OpenRequests
    let work: RequestWork
    let statistics: Statistics
    let logger: Logger
    let accessLog: Logger?
    private let audit: AuditLog
    private let failureForms: [String: FailureForm]
    /// The form of errors for all other paths; `nil` for CouchDB's.
    private let otherForm: FailureForm?
    private let budget = ResponseBudget()

    init(
        router: Router, gatekeeper: Gatekeeper, databases: DatabaseOpener, openRequests: OpenRequests,
        work: RequestWork, statistics: Statistics, audit: AuditLog, logger: Logger, accessLog: Logger? = nil,
        failureForms: [String: FailureForm] = [:], otherForm: FailureForm? = nil
    ) {
        self.accessLog = accessLog
        self.failureForms = failureForms
        self.otherForm = otherForm
        self.audit = audit
        self.router = router
        self.gatekeeper = gatekeeper
        self.databases = databases
        self.openRequests = openRequests
        self.work = work
        self.statistics = statistics
        self.logger = logger
    }

    /// The closure that the server calls for each request.
    var closure: HTTPChannelHandler.Responder { { try await respond(to: $0, writer: $1, channel: $2) } }

    private func respond(to request: Request, writer: consuming ResponseWriter, channel: any Channel) async throws {
        let gate = BodyGate()
        var headers = Responder.commonHeaders
        let requestID = Responder.requestID(of: request)
        headers[.requestID] = requestID
        if request.headers.contains(.origin) {
            let crossOrigin = CrossOrigin(rules: gatekeeper.settings.options.cors)
            for field in crossOrigin.headers(for: request.head) { headers[field.name] = field.value }
        }
        let response = ServerResponse(
            writer: writer, isHead: request.method == .head, acceptsGzip: Responder.acceptsGzip(request.head),
            commonHeaders: headers, requestID: requestID, channel: channel,
            budget: budget,
            bodyTime: { gate.milliseconds },
            settled: { channel.eventLoop.flatSubmit { StallHandler.whenWritable(channel) } })
        if request.headers.value(of: .expect)?.lowercased() == "100-continue" {
            gate.set { try await response.announceContinue() }
        }
        let startTime = ContinuousClock.now
        defer {
            let time = ContinuousClock.now - startTime
            statistics.count(request.method, status: response.status, time: time)
            logAccess(request, response, time)
        }
        do {
            try await dispatch(request, gate: gate, channel: channel, to: response)
        } catch {
            try await fail(with: error, request: request, response: response)
        }
    }

    /// Logs a request. Its query and headers are not logged, because they may contain secrets.
    private func logAccess(
        _ request: Request, _ response: ServerResponse, _ time: Duration
    ) {
        guard let accessLog else { return }
        accessLog.info(
            "request",
            metadata: [
                "method": "\(request.method)", "path": "\(request.uri.path)", "status": "\(response.status)",
                "user": "\(response.principalName ?? "")", "address": "\(response.peerAddress)",
                "milliseconds": "\(time.milliseconds)", "id": "\(response.requestID)",
            ])
    }

    private func dispatch(
        _ request: Request, gate: BodyGate, channel: any Channel, to response: ServerResponse
    ) async throws {
        guard request.head.authority != nil else {
            throw HTTPFailure.badRequest("A request must have exactly one Host header, with the server's name.")
        }
        guard !request.head.headerFields.contains(where: { $0.value.hasTooManyMarks }) else {
            throw HTTPFailure.tooManyMarks
        }
        guard request.method != .connect else { throw HTTPFailure.methodNotAllowed(Responder.methods) }
        if request.method == .options, request.headers.contains(.origin),
            case let headers = CrossOrigin(rules: gatekeeper.settings.options.cors).preflight(request.head),
            !headers.isEmpty
        {
            return try await response.sendEmpty(.noContent, headers: headers)
        }
        let target = try RequestTarget(request.head.path ?? "/")
        var serverRequest = ServerRequest(
            head: Responder.normalized(request.head), target: target, channel: channel, body: request.body,
            beforeBody: gate)
        for _ in 0...ServerLimits.rewritesMax {
            switch try await handle(serverRequest, response) {
            case .sent: return
            case .rewritten(let rewritten): serverRequest = rewritten.request
            }
        }
        throw HTTPFailure.badRequest("Exceeded rewrite recursion limit")
    }

    /// Finds the route of a request, authorizes the request, and runs the route's handler. A browser without a login is
    /// redirected to the route's login page, if the route has one.
    private func handle(_ request: ServerRequest, _ response: ServerResponse) async throws -> Answer {
        var request = request
        switch router.match(request.head.method, request.target.segments) {
        case .route(let route, let parameters):
            request.parameters = parameters
            let changes = openRequests.changes
            let admission: Admission
            do {
                admission = try await gatekeeper.authorize(request, for: route.access) {
                    (response.principalName, response.isOfAdministrator) = ($0.name, $0.isAdministrator)
                }
            } catch let failure as HTTPFailure where failure.status == .unauthorized {
                guard request.acceptsPages, let page = route.loginPage?(request) else { throw failure }
                try await response.sendEmpty(.found, headers: [.location: page])
                return .sent
            }
            response.add(admission.headers)
            if route.isOfDatabase { try StoredContent.check(request) }
            try await gatekeeper.checkSender(of: request, by: admission.principal, for: route)
            // The change is also logged if the response cannot be sent, because the change may have been made before.
            defer { auditChange(request, by: route, response) }
            let context = RequestContext(request, admission, response, databases)
            do {
                guard !request.isCostly(route) else { return try await answerCostly(context, by: route, changes) }
                let (counter, isCrowding) = work.lightRequests.begin(admission.principal, request.channel)
                defer { work.lightRequests.end(counter) }
                guard !isCrowding else { return try await answerCostly(context, by: route, changes) }
                return try await answer(context, by: route, changes)
            } catch let error as StoreError where error.code == .closed && route.isOfDatabase {
                // If the database was deleted meanwhile, this throws another error.
                _ = try await context.datastore()
                throw error
            }
        case .otherMethods(let methods, let access, let parameters):
            request.parameters = parameters
            _ = try await gatekeeper.authorize(request, for: access)
            throw HTTPFailure.methodNotAllowed(methods)
        case .none:
            _ = try await gatekeeper.authorize(request, for: .anyone)
            throw HTTPFailure.missing
        }
    }

    /// Runs the route's handler on the lane of the client, with a budget.
    private func answerCostly(_ context: RequestContext, by route: Route, _ changes: Int) async throws -> Answer {
        try await work.counted(for: context.principal, from: context.request.peerAddress) { share in
            try await answer(context, by: route, changes, work: share)
        }
    }

    /// Logs a request that changed rights or accounts.
    private func auditChange(_ request: ServerRequest, by route: Route, _ response: ServerResponse) {
        guard response.hasBegun, response.status < 400 else { return }
        let isOfUsers = route.access.isForWriting && request.parameter("db").isIdenticalText(to: UsersDatabase.name)
        guard let event = route.audit ?? (isOfUsers ? "accounts written" : nil) else { return }
        audit.changed(
            event, request.head.method.rawValue, "/" + request.target.segments.joined(separator: "/"), response)
    }

    /// Runs the route's handler. Two kinds of requests run in a task that can be cancelled: costly requests, and
    /// those of members of an application. Other requests run directly.
    private func answer(
        _ context: RequestContext, by route: Route, _ changes: Int, work: RequestWork.Share? = nil
    ) async throws -> Answer {
        guard work != nil || context.principal.membership != nil else { return try await route.handler(context) }
        // `nonisolated(unsafe)` is correct, because two tasks never use the response at the same time: this task waits
        // until the task of the handler has ended.
        nonisolated(unsafe) let context = context
        return try await openRequests.answer(
            context.request, of: context.principal, access: route.access, work: work, authorizedAt: changes,
            authorizeAgain: { _ = try await gatekeeper.authorize(context.request, for: route.access) }
        ) {
            try await route.handler(context)
        }
    }

    /// Returns a request's head with its intended method. A client that can send only GET and POST names the intended
    /// method in a header.
    private static func normalized(_ head: HTTPRequest) -> HTTPRequest {
        guard head.method == .post, let name = head.headerFields.value(of: .methodOverride)?.uppercased(),
            Self.overridableMethods.contains(name), let method = HTTPRequest.Method(name)
        else { return head }
        var head = head
        head.method = method
        return head
    }

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .copy, .options]

    private static let overridableMethods: Set<String> = ["GET", "HEAD", "POST", "PUT", "DELETE", "COPY"]

    /// Whether the client accepts gzip with a weight above 0.
    private static func acceptsGzip(_ head: HTTPRequest) -> Bool {
        guard let accepted = head.headerFields.value(of: .acceptEncoding)?.lowercasedASCII else { return false }
        return accepted.commaSeparatedItems.contains { item in
            let parts = item.filter { $0 != " " }.pieces(at: ";")
            return parts.first == "gzip"
                && !parts.dropFirst().contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
        }
    }

    private func fail(with error: any Error, request: Request, response: ServerResponse) async throws {
        // No response is sent after these errors. They occur when the client has disconnected, the server stops, the
        // principal has lost its rights, or an administrator has ended the request.
        if error is CancellationError || error is ChannelError || error is IOError { throw error }
        if (error as? StoreError)?.code == .cancelled || (error as? JSONError)?.code == .cancelled {
            throw CancellationError()
        }
        if error is IncompleteBody {
            logger.notice(
                "the body of a \(request.method) request ended too early", metadata: ["path": "\(request.uri.path)"])
        }
        var failure = HTTPFailure(error)
        if failure.status == .unauthorized {
            if let challenge = request.headers[.wantedChallenge] {
                failure.headers[.wwwAuthenticate] = challenge
            } else if request.headers[.authorization]?.lowercased().begins(with: "bearer ") == true {
                // RFC 6750, section 3.1.
                failure.headers[.wwwAuthenticate] = "Bearer error=\"invalid_token\""
            }
        }
        if [.unauthorized, .forbidden].contains(failure.status), failure.error != HTTPFailure.challenge {
            audit.refused(request.method.rawValue, request.uri.path, response, status: failure.status.code)
        }
        // Overload is not logged: a client with too many requests would fill the log.
        if failure.status.code >= 500, failure.status != .notImplemented, failure.status != .serviceUnavailable {
            logger.error(
                "\(request.method) failed",
                metadata: [
                    "path": "\(request.uri.path)", "error": "\(failure.error)", "cause": "\(error)",
                    "id": "\(response.requestID)",
                ])
        }
        // If the response has begun, it cannot be replaced by an error response. In this case, the caller closes the
        // connection, so that the client notices that the response is incomplete.
        guard !response.hasBegun else { throw error }
        let ownForm = failureForms.isEmpty ? nil : failureForms[Responder.firstSegment(of: request)]
        guard let form = ownForm ?? otherForm else {
            return try await response.sendJSON(failure.status, headers: failure.headers, body: failure.body)
        }
        let rendered = form.render(failure, request.uri.path, response.requestID)
        var headers = failure.headers
        for field in rendered.headers { headers[field.name] = field.value }
        try await response.send(
            rendered.status, contentType: rendered.contentType, headers: headers, body: rendered.body)
    }

    /// The first segment of a request's path, as the client wrote it.
    private static func firstSegment(of request: Request) -> String {
        request.uri.path.pieces(at: "/").first.map(String.init) ?? ""
    }

    /// The maximum length of a request identifier that comes from the client.
    private static let requestIDCharactersMax = 36

    /// Returns the identifier in the header `X-Couch-Request-ID` if it is short and consists of letters, digits, `-`
    /// and `_`. If the header is missing or has another value, returns ten random hexadecimal digits.
    private static func requestID(of request: Request) -> String {
        if let clientID = request.headers.value(of: .requestID), 1...requestIDCharactersMax ~= clientID.utf8.count,
            clientID.utf8.allSatisfy({ isWordByte($0) || $0 == UInt8(ascii: "-") })
        {
            return clientID
        }
        let randomBits = UInt64.random(in: .min ... .max)
        return String(unsafeUninitializedCapacity: 10) { digits in
            for index in 0..<10 {
                let digit = UInt8(truncatingIfNeeded: randomBits >> (4 * UInt64(clamping: index))) & 15
                digits[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return 10
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static let commonHeaders: HTTPFields = [
        .server: "Godwit/\(godwitVersion)", .cacheControl: "must-revalidate",
    ]
}

extension HTTPField.Name {
    fileprivate static let requestID = HTTPField.Name("X-Couch-Request-ID")!
    /// The header in which a client names the authentication challenge that it wants. If a request does not have this
    /// header, the response has no challenge for a name and password, because a browser would open its own login
    /// dialog.
    fileprivate static let wantedChallenge = HTTPField.Name("X-CouchDB-WWW-Authenticate")!
    fileprivate static let methodOverride = HTTPField.Name("X-HTTP-Method-Override")!
}

extension HTTPRequest.Method {
    static let copy = HTTPRequest.Method("COPY")!
}

extension HTTPFailure {
    static func methodNotAllowed(_ methods: [HTTPRequest.Method]) -> HTTPFailure {
        let list = methods.map(\.rawValue).joined(separator: ",")
        var failure = HTTPFailure(.methodNotAllowed, "method_not_allowed", "Only \(list) allowed")
        failure.headers[.allow] = list
        return failure
    }
}
