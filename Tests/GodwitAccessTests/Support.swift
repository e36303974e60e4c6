//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBackend
import GodwitBase
import GodwitClientNIO
import GodwitJSON
import GodwitQuery
import GodwitServer
import GodwitStore
import GodwitTransport
import Logging
import Testing

@testable import GodwitAccess

let transport = AsyncHTTPTransport()

/// A running server with the application `app`.
struct AppServer: Sendable {
    let address: String
    let backend: Backend
    let manager: DatastoreManager

    /// Runs `body` with a server.
    static func run(
        _ change: (inout Application) -> Void = { _ in },
        _ body: @escaping @Sendable (AppServer) async throws -> Void
    ) async throws {
        var application = Application(id: "app")
        application.registrationsPerMinute = 1_000
        application.providers["staff"] = ApplicationProvider(try #require(ProviderSettings(.custom, clientID: "")))
        application.hasBluelist = true
        change(&application)
        try await withFolder { [application] folder in
            let manager = try DatastoreManager(directory: folder + "/data", durability: .normal)
            let backend = Backend(manager: manager, applications: [application], realms: ["staff": StaffRealm()])
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let server = GodwitServer(
                manager: manager, administrators: Administrators(name: "admin", password: "secret"),
                address: .init(port: 0), modules: [backend],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onListening: { port.yield($0) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                for await port in ports {
                    let server = AppServer(address: "http://127.0.0.1:\(port)", backend: backend, manager: manager)
                    try await server.configure("chttpd_auth", "iterations", "1000")
                    try await body(server)
                    break
                }
                group.cancelAll()
            }
            await manager.close()
        }
    }

    /// Registers a user with the password `secret word`.
    func register(_ name: String) async throws {
        _ = try await backend.register(name, password: "secret word", in: "app", from: "127.0.0.1")
    }

    /// Returns a manager for a session on a device.
    func access(
        storage: any SessionStorage = MemorySessionStorage(), version: String? = nil,
        wiping: [any WipeableData] = [], transport: any Transport = transport
    ) throws -> AccessManager {
        try AccessManager(
            server: address, application: "app", device: AppDevice(name: "phone", platform: "test"), version: version,
            storage: storage, wiping: wiping, transport: transport)
    }

    /// Changes a setting of the server.
    func configure(_ section: String, _ key: String, _ value: String) async throws {
        let status = try await send("PUT", "_node/_local/_config/\(section)/\(key)", .string(value)).status
        #expect(status == 200)
    }

    /// Sends a request as an administrator.
    @discardableResult
    func send(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> TransportResponse {
        var request = TransportRequest(method: method, url: "\(address)/\(path)", secondsMax: 30)
        request.headers = [("Authorization", "Basic YWRtaW46c2VjcmV0"), ("Content-Type", "application/json")]
        if let body { request.body = .bytes(body.jsonBytes()) }
        return try await transport.send(request)
    }

    /// Sets the state of a device.
    func setState(of device: String, of user: String, _ state: String) async throws {
        let path = "_apps/app/users/\(user)/devices/\(device)/state"
        #expect(try await send("PUT", path, ["state": .string(state)]).status == 200)
    }

    /// Returns the state of a device.
    func state(of device: String, of user: String) async throws -> String? {
        let bytes = try await send("GET", "_apps/app/users/\(user)/devices").collect(bytesMax: 1 << 20)
        return try JSONValue(parsing: bytes)["devices"]?.arrayValue?
            .first { $0["id"]?.stringValue == device }?["state"]?.stringValue
    }
}

/// Runs `body` with a new folder.
func withFolder(_ body: (String) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "godwit-access-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
}

/// A realm that asks for a name, and then for the sum of two numbers.
struct StaffRealm: LoginRealm {
    func step(after answer: JSONObject?, state: JSONObject) async throws -> RealmStep {
        guard let answer else { return .challenge(["ask": "user"], state: [:]) }
        guard let user = state["user"]?.stringValue else {
            guard let name = answer["user"]?.stringValue else { return .failure("The answer has no user.") }
            if name == "broken" { throw CancellationErrorOfTest() }
            return .challenge(["ask": "sum", "of": [2, 3]], state: ["user": .string(name)])
        }
        guard answer["sum"] == 5 else {
            return .wrongAnswer(of: user, ["ask": "sum", "errorMessage": "Wrong"], state: state)
        }
        var identity = Identity(subject: user)
        identity.name = "Member \(user)"
        return .success(identity)
    }

    private struct CancellationErrorOfTest: Error {}
}

/// Answers the challenges of ``StaffRealm``.
final class StaffDelegate: AuthenticationDelegate {
    let events = Mutex<[String]>([])
    private let wrongAnswers: Int

    init(wrongAnswers: Int = 0) { self.wrongAnswers = wrongAnswers }

    func onAuthenticationChallengeReceived(_ challenge: JSONObject, _ context: AuthenticationContext) {
        let ask = challenge["ask"]?.stringValue ?? ""
        let count = events.withLock { events in
            events.append(ask)
            return events.filter { $0 == "sum" }.count
        }
        if wrongAnswers < 0 { return context.submitFailure() }
        context.submitAnswer(ask == "user" ? ["user": "mia"] : ["sum": count > wrongAnswers ? 5 : 4])
        // Only the first answer counts.
        context.submitFailure()
    }

    func onAuthenticationSuccess(_ login: AccessLogin) { events.withLock { $0.append("success") } }
    func onAuthenticationFailure(_ error: AccessError) { events.withLock { $0.append("failure \(error.code)") } }
}

/// Sends requests, and answers the first one with a token for a path with the status 401.
final class RefusingTransport: Transport {
    /// Whether requests for the path get the page of a proxy.
    let answersPage = Mutex(false)
    private let path: String
    private let refused = Mutex<Set<String>>([])

    init(_ path: String) { self.path = path }

    var refusedCount: Int { refused.withLock { $0.count } }

    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        if request.url.hasSuffix(path), answersPage.withLock({ $0 }) {
            return TransportResponse(
                status: 403, headers: [("Content-Type", "text/html")],
                body: AsyncThrowingStream { stream in
                    stream.yield(Array("<html>Log in to this network.</html>".utf8))
                    stream.finish()
                })
        }
        let token = request.headers.first { $0.name == "Authorization" }?.value
        if request.url.contains(path), let token, refused.withLock({ $0.isEmpty && $0.insert(token).inserted }) {
            return TransportResponse(
                status: 401, headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")],
                body: AsyncThrowingStream { $0.finish() })
        }
        return try await transport.send(request)
    }
}
