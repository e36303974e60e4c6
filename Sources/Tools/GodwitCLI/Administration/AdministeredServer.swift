//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBackend
import GodwitBase
import GodwitClientNIO
import GodwitDatabase
import GodwitFoundation
import GodwitHost
import GodwitJSON
import GodwitObjects
import GodwitServer
import GodwitTransport
import GodwitViews
import Logging

/// The options for the server that a command administers: a running server, or the data directory of a server that is
/// not running.
struct AdministeredServer: ParsableArguments {
    @Option(
        help: """
            The URL of a running server with an administrator's name and password: http://NAME:PASSWORD@HOST:PORT. \
            GODWIT_USER and GODWIT_PASSWORD may contain them.
            """)
    var url: String?

    @Option(help: "The directory of a server that is not running.")
    var data: String?

    @OptionGroup var keys: KeyOptions

    @OptionGroup var trust: TrustOption

    func validate() throws {
        guard (url == nil) != (data == nil) else {
            throw ValidationError("Specify either --url or --data.")
        }
    }

    /// Runs a closure with a connection to the server. If the options name a directory, a server for this directory
    /// runs while the closure runs. This server uses a free port of this computer and has one administrator, whose
    /// password only this process knows.
    ///
    /// - Parameter needsObjects: Whether the server for a directory must have object storage, even if the directory
    ///   contains no objects yet.
    func connect(
        needsObjects: Bool = false, _ body: (AdministrationConnection) async throws -> Void
    ) async throws {
        do {
            if let url {
                let address = try RemoteURL(server: url)
                try await body(
                    AdministrationConnection(
                        url: address.description, authorization: address.login(Settings()).authorization,
                        transport: try trust.transport()))
            } else if let data {
                try await serve(data, needsObjects: needsObjects, body)
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    private func serve(
        _ directory: String, needsObjects: Bool, _ body: (AdministrationConnection) async throws -> Void
    ) async throws {
        guard FileManager.default.fileExists(atPath: directory + "/catalogue.sqlite") else {
            throw CommandFailure(message: "\(directory) is not a directory of databases: it has no catalogue.sqlite.")
        }
        let manager = try DatastoreManager(directory: directory, key: try await keys.key(), scripts: commandScripts)
        let objects = try needsObjects ? [ObjectsModule(manager: manager)] : []
        let (name, password) = ("godwit", Administrators.randomPassword())
        let (ports, port) = AsyncStream<Int>.makeStream()
        var logger = Logger(label: "godwit") { LineLog(label: $0) }
        // When this server ends, the connection to it is cancelled. The server would log this as an error although it
        // is none, so only critical messages are logged.
        logger.logLevel = .critical
        let server = GodwitServer(
            manager: manager, administrators: Administrators(name: name, password: password), address: .init(port: 0),
            modules: [Backend(manager: manager)] + objects,
            logger: logger,
            onListening: { port.yield($0) })
        let running = Task {
            defer { port.finish() }
            try await server.run()
        }
        do {
            guard let number = await ports.first(where: { _ in true }) else {
                try await running.value
                throw CommandFailure(message: "The databases in \(directory) cannot be served.")
            }
            try await body(
                AdministrationConnection(
                    url: "http://127.0.0.1:\(number)",
                    authorization: Credentials.basic(user: name, password: password).authorization,
                    transport: AsyncHTTPTransport()))
        } catch {
            await stop(running, manager)
            throw error
        }
        await stop(running, manager)
    }

    private func stop(_ running: Task<Void, any Error>, _ manager: DatastoreManager) async {
        running.cancel()
        _ = await running.result
        await manager.close()
    }
}

/// Sends an administrator's requests to a server.
struct AdministrationConnection {
    private static let secondsMax = 60
    private static let answerBytesMax = 256 << 20

    let url: String
    let authorization: String?
    let transport: AsyncHTTPTransport

    /// Sends a request and returns the answer's body; `null` if the body is not JSON.
    ///
    /// - Throws: ``CommandFailure`` with the server's reason when the server refuses the request; ``ReplicationError``
    ///   when the server cannot be reached or does not answer within a minute.
    @discardableResult
    func send(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        var request = TransportRequest(
            method: method, url: url + path, secondsMax: AdministrationConnection.secondsMax)
        request.headers = [("Accept", "application/json"), ("Content-Type", "application/json")]
        if let authorization { request.headers.append(("Authorization", authorization)) }
        if let body { request.body = .bytes(body.jsonBytes()) }
        let response = try await transport.send(request)
        let bytes = try await response.collect(bytesMax: AdministrationConnection.answerBytesMax)
        let answer = (try? JSONValue(parsing: bytes)) ?? .null
        guard (200..<300).contains(response.status) else {
            let reason = answer["reason"]?.stringValue ?? "The server answered with the status \(response.status)."
            let advice = response.status == 401 ? " Specify an administrator's name and password." : ""
            throw CommandFailure(message: reason + advice)
        }
        return answer
    }

    /// Returns the path of an application, or of one of its users.
    static func path(_ application: String, user: String? = nil) -> String {
        "/_apps/\(application.percentEncoded)" + (user.map { "/users/\($0.percentEncoded)" } ?? "")
    }

    /// Calls a closure with each account of an application. The accounts are requested in pages.
    func eachUser(
        of application: String, isExport: Bool = false, _ body: (JSONValue) throws -> Void
    ) async throws {
        var after: String?
        repeat {
            let start = after.map { "&after=\($0.percentEncoded)" } ?? ""
            let page = try await send(
                "GET", "\(AdministrationConnection.path(application))/users?limit=500&export=\(isExport)\(start)")
            for user in page["users"]?.arrayValue ?? [] { try body(user) }
            after = page["next"]?.stringValue
        } while after != nil
    }
}
