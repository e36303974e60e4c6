//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
package import GodwitJSON
import GodwitQuery
package import GodwitServer
package import GodwitStore
package import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization

/// A server in this process that is called without a socket. Its databases are in a temporary directory. Requests are
/// processed in the same way as after the HTTP parser.
///
/// ```swift
/// try await TestServer.run { server in
///     try await server.send(.put, "/db")
///     let answer = try await server.send(.get, "/db/missing")
///     #expect(answer.status == 404)
/// }
/// ```
package struct TestServer: Sendable {
    /// The caller of a request.
    package enum Caller: Hashable, Sendable {
        /// A caller without credentials.
        case anonymous
        /// The administrator of the server.
        case administrator
        /// A user that ``TestServer/addUser(_:roles:)`` added.
        case user(String)
    }

    /// The password of every user and of the administrator.
    package static let password = "heron-tern-plover"

    private static let administratorName = "admin"

    private static let serverCount = Atomic(0)

    /// The databases.
    package let manager: DatastoreManager
    /// The prepared server.
    package let prepared: PreparedServer
    /// The address of the clients. Each server has a separate address, so that the logins of concurrent tests wait in
    /// different queues of `PasswordWork`, and no login is refused because of another test.
    private let clientAddress = TestServer.nextClientAddress()

    /// Runs `body` with a new server, then stops it and removes its databases.
    ///
    /// - Parameter modules: Creates the server's modules.
    package static func run(
        limits: ServerLimits = ServerLimits(),
        modules: (DatastoreManager) async throws -> [any ServerModule] = { _ in [] },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let directory = NSTemporaryDirectory() + "godwit-server-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let manager = try DatastoreManager(directory: directory, durability: .normal)
        let server = GodwitServer(
            manager: manager, administrators: Administrators(name: administratorName, password: password),
            address: .init(port: 0), modules: try await modules(manager), limits: limits,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let prepared = try await server.prepare()
        let work = Task { await prepared.work() }
        do {
            try await body(TestServer(manager: manager, prepared: prepared))
        } catch {
            await end(work, manager)
            throw error
        }
        await end(work, manager)
    }

    private static func end(_ work: Task<Void, Never>, _ manager: DatastoreManager) async {
        work.cancel()
        manager.endFeeds()
        await work.value
        await manager.close()
    }

    /// Sends a request and returns the answer.
    ///
    /// - Parameters:
    ///   - target: The path and query, as on the wire.
    ///   - json: A body of JSON, sent with its content type; with `nil`, `body` is sent unchanged.
    ///   - address: The address of the client; with `nil`, a loopback address that only this server's clients have.
    /// - Throws: The error that interrupts an answer.
    @discardableResult
    package func send(
        _ method: HTTPRequest.Method, _ target: String, as caller: Caller = .administrator, headers: HTTPFields = [:],
        json: JSONValue? = nil, body: [UInt8]? = nil, from address: String? = nil
    ) async throws -> TestAnswer {
        var head = HTTPRequest(method: method, scheme: "http", authority: "localhost:5984", path: target)
        if json != nil { head.headerFields[.contentType] = "application/json" }
        for field in headers { head.headerFields[field.name] = field.value }
        if let authorization = TestServer.authorization(caller) { head.headerFields[.authorization] = authorization }
        let bytes = json?.jsonBytes() ?? body ?? []
        if !bytes.isEmpty { head.headerFields[.contentLength] = String(bytes.count) }
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: bytes)))
        return try await answer(request, from: address ?? clientAddress)
    }

    private static func nextClientAddress() -> String {
        let number = serverCount.add(1, ordering: .relaxed).newValue
        return "127.1.\(number / 250 % 250).\(number % 250 + 1)"
    }

    private func answer(_ request: Request, from address: String) async throws -> TestAnswer {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: address, port: 50_000)).get()
        let (writer, sink) = NIOAsyncChannelOutboundWriter<HTTPResponsePart>.makeTestingWriter()
        try await prepared.respond(request, ResponseWriter(outbound: writer), channel)
        writer.finish()
        var answer = TestAnswer()
        for await part in sink {
            switch part {
            case .head(let head): answer.take(head)
            case .body(let piece): answer.body += piece.readableBytesView
            case .end: answer.isComplete = true
            }
        }
        try await channel.close()
        return answer
    }

    private static func authorization(_ caller: Caller) -> String? {
        let name: String
        switch caller {
        case .anonymous: return nil
        case .administrator: name = administratorName
        case .user(let user): name = user
        }
        return "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
    }

    /// Adds a user of the server. From now on, the server uses few rounds of the password hash.
    package func addUser(_ name: String, roles: [String] = []) async throws {
        // Few rounds of the password hash keep the tests fast.
        try await send(.put, "/_node/_local/_config/chttpd_auth/iterations", json: "1000")
        let user: JSONValue = [
            "name": .string(name), "password": .string(TestServer.password), "type": "user",
            "roles": .array(roles.map { .string($0) }),
        ]
        try await send(.put, "/_users/org.couchdb.user:\(name)", json: user)
    }
}

/// The answer of a ``TestServer``.
package struct TestAnswer: Sendable {
    /// The status; 0 if no response was sent.
    package private(set) var status = 0
    /// The headers.
    package private(set) var headers: HTTPFields = [:]
    /// The informational statuses before the final one, such as 100.
    package private(set) var informationalStatuses: [Int] = []
    /// The bytes of the body as sent.
    package fileprivate(set) var body: [UInt8] = []
    /// Whether the answer was sent completely.
    package fileprivate(set) var isComplete = false

    fileprivate mutating func take(_ head: HTTPResponse) {
        if head.status.kind == .informational { return informationalStatuses.append(head.status.code) }
        (status, headers) = (head.status.code, head.headerFields)
    }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON.
    package var json: JSONValue { get throws { try JSONValue(parsing: body) } }

    /// A member of the body; `nil` when the body is not a JSON object or has no such member.
    package subscript(_ member: String) -> JSONValue? { (try? json)?[member] }
}
