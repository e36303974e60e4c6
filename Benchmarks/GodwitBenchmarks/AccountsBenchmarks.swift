//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBackend
import GodwitBase
import GodwitClientNIO
import GodwitJSON
import GodwitServer
import GodwitStore
import GodwitSync
import GodwitTransport
import GodwitViews
import Logging

/// Measures many users of one application, each with a database, and the consolidated database of all changes.
struct AccountsBenchmarks {
    let count: Int

    private static let documentsPerUser = 10
    private static let activeUsers = 1_000
    private static let writesPerSecond = 1_000
    private static let activeSeconds = 20

    private let application: Application = {
        let points = Application.Contents(
            designs: [
                "points": [
                    "st_indexes": [
                        "pointidx": ["index": "function (doc) { if (doc.geometry) { st_index(doc.geometry); } }"]
                    ]
                ]
            ])
        var application = Application(id: "bench", accountsDatabase: "bench_users", databasePrefix: "bench_user_")
        application.userDatabaseContents = points
        application.consolidated = .init(name: "bench_all", contents: points)
        return application
    }()

    func run() async throws {
        report("users", "\(count), hashes of passwords made cheap for this: 1 round of PBKDF2 for 600 000")
        try await withDirectory { path in
            try await onServer(path) { manager, backend, _ in
                try await register(backend)
                try await logIn(backend)
                report("disk", "\(text(Double(bytes(of: path)) / Double(count) / 1024, 1)) KB a user without documents")
            }
            try await fill(path)
            let begun = ContinuousClock.now
            try await onServer(path) { manager, backend, port in
                report(
                    "restart", "\(text((ContinuousClock.now - begun) / .milliseconds(1))) ms until requests are taken")
                try await consolidate(manager, since: begun)
                report(
                    "disk",
                    "\(text(Double(bytes(of: path)) / Double(count) / 1024, 1)) KB a user with "
                        + "\(Self.documentsPerUser) documents here and in the consolidated database")
                try await beActive(manager, backend)
                try await firstSync(manager, backend, port)
            }
        }
    }

    // MARK: Workloads

    private func register(_ backend: Backend) async throws {
        let time = try await seconds {
            try await inParallel { user in
                _ = try await backend.register(name(user), password: "password", in: application.id, from: nil)
            }
        }
        report(
            "registrations, 32 at a time",
            "\(text(Double(count) / time))/s, \(memoryText), \(openFileCount) files open")
    }

    /// Logs each user in on a device, and refreshes each session once.
    private func logIn(_ backend: Backend) async throws {
        let tokens = Mutex<[Int: String]>([:])
        let logins = try await seconds {
            try await inParallel { user in
                let login = try await backend.logIn(
                    name(user), password: "password", in: application.id,
                    device: DeviceDetails(id: "phone", name: "phone"), from: "")
                let token = login.session?.refreshToken
                tokens.withLock { $0[user] = token }
            }
        }
        report("logins, 32 at a time", "\(text(Double(count) / logins))/s, \(memoryText)")
        let refreshTokens = tokens.withLock { $0 }
        let refreshes = try await seconds {
            try await inParallel { user in
                _ = try await backend.refresh(refreshTokens[user] ?? "", in: application.id)
            }
        }
        report("refreshes, 32 at a time", "\(text(Double(count) / refreshes))/s, \(memoryText)")
    }

    /// Writes the documents of each user in one batch, as a replication does, while consolidation is not running.
    private func fill(_ path: String) async throws {
        let manager = try DatastoreManager(directory: path, scripts: .inProcess())
        let writing = try await seconds {
            try await inParallel { user in
                let store = try await manager.existingDatastore(named: database(of: user))
                _ = try await store.writeEach(
                    (0..<Self.documentsPerUser).map { try location($0, of: user, limits: store.limits) },
                    isReplicated: false)
            }
        }
        await manager.close()
        report(
            "\(Self.documentsPerUser) documents to each user, 32 users at a time",
            "\(text(Double(count * Self.documentsPerUser) / writing)) documents/s, \(memoryText)")
    }

    /// Measures the consolidation of all documents that were written while the server was stopped.
    private func consolidate(_ manager: DatastoreManager, since begun: ContinuousClock.Instant) async throws {
        let all = try await manager.existingDatastore(named: "bench_all")
        let documents = count * Self.documentsPerUser
        while try all.documentCount < documents { try await Task.sleep(for: .milliseconds(20)) }
        let time = (ContinuousClock.now - begun) / .seconds(1)
        report("consolidated", "\(text(Double(documents) / time)) documents/s, \(memoryText)")
    }

    /// Lets users write at a fixed rate, and measures the delay until documents are in the consolidated database.
    private func beActive(_ manager: DatastoreManager, _ backend: Backend) async throws {
        let all = try await manager.existingDatastore(named: "bench_all")
        let active = min(Self.activeUsers, count)
        var lags: [Double] = []
        let end = ContinuousClock.now + .seconds(Self.activeSeconds)
        try await withThrowingTaskGroup { group in
            for task in 0..<10 {
                group.addTask {
                    var next = ContinuousClock.now
                    var number = 1_000
                    while next < end {
                        let user = (task * 101 + number * 7) % active
                        let store = try await manager.existingDatastore(named: database(of: user))
                        let location = try location(number * 10 + task, of: user, limits: store.limits)
                        _ = try await store.writeEach([location], isReplicated: false)
                        number += 1
                        next += .seconds(1) / (Self.writesPerSecond / 10)
                        try await Task.sleep(until: next)
                    }
                }
            }
            var number = 0
            while ContinuousClock.now < end {
                number += 1
                let user = number * 37 % active
                let store = try await manager.existingDatastore(named: database(of: user))
                _ = try await store.create(Document(id: "probe\(number)", body: ["n": .integer(Int64(number))]))
                let begun = ContinuousClock.now
                while (try? all.document("\(name(user)):probe\(number)")) == nil {
                    try await Task.sleep(for: .milliseconds(1))
                }
                lags.append((ContinuousClock.now - begun) / .milliseconds(1))
                try await Task.sleep(for: .milliseconds(50))
            }
            try await group.waitForAll()
        }
        report(
            "\(Self.writesPerSecond) writes/s by \(active) users",
            "behind by p50 \(text(median(lags), 1)) ms, p99 \(text(percentile(lags, 0.99), 1)) ms, "
                + "\(text(lags.max() ?? 0, 1)) ms at most, \(memoryText), \(openFileCount) files open")
    }

    private func firstSync(_ manager: DatastoreManager, _ backend: Backend, _ port: Int) async throws {
        let user = count - 1
        let store = try await manager.existingDatastore(named: database(of: user))
        _ = try await store.writeEach(
            (100..<190).map { try location($0, of: user, limits: store.limits) }, isReplicated: false)
        let login = try await backend.logIn(name(user), password: "password", in: application.id, from: "")
        var times: [Double] = []
        for round in 0..<10 {
            try await withDirectory { path in
                let phone = try DatastoreManager(directory: path, indexes: [])
                let target = try await phone.datastore(named: "round\(round)")
                let address = try RemoteURL("http://127.0.0.1:\(port)/\(login.database)")
                times.append(
                    try await seconds {
                        let source = RemoteEndpoint(
                            address, credentials: .basic(user: login.key, password: login.keyPassword),
                            transport: AsyncHTTPTransport())
                        _ = try await Replicator(.pull, target, with: source).run()
                    } * 1e3)
                await phone.close()
            }
        }
        report(
            "first sync of 100 documents", "p50 \(text(median(times), 1)) ms, \(text(times.max() ?? 0, 1)) ms at most")
    }

    // MARK: Parts

    private func onServer(
        _ path: String, _ body: @escaping @Sendable (DatastoreManager, Backend, Int) async throws -> Void
    ) async throws {
        let manager = try DatastoreManager(directory: path, scripts: .inProcess())
        let settings: JSONValue = ["chttpd_auth": ["iterations": "1"]]
        try await manager.setSetting("settings", to: settings.jsonBytes())
        let backend = Backend(manager: manager, applications: [application])
        // Each of the logins would be logged.
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = GodwitServer(
            manager: manager, administrators: Administrators(name: "a", password: "a"), address: .init(port: 0),
            modules: [backend], logger: logger, onListening: { port.yield($0) })
        let running = Task { try await server.run() }
        var iterator = ports.makeAsyncIterator()
        if let port = await iterator.next() { try await body(manager, backend, port) }
        running.cancel()
        _ = try? await running.value
        await manager.close()
    }

    private func inParallel(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            for task in 0..<32 {
                group.addTask { for user in stride(from: task, to: count, by: 32) { try await body(user) } }
            }
            try await group.waitForAll()
        }
    }

    private func name(_ user: Int) -> String { "user\(user)" }

    private func database(of user: Int) -> String { "bench_user_\(name(user))" }

    private func location(_ number: Int, of user: Int, limits: StoreLimits) throws -> IncomingDocument {
        let text = """
            {"_id":"location\(number)","type":"Feature","created_at":\(1_700_000_000_000 + number),"geometry":\
            {"type":"Point","coordinates":[\(Double(user % 3_600) / 10 - 180),\(Double(number % 1_700) / 10 - 85)]},\
            "properties":{"username":"\(name(user))","session_id":"s","timestamp":\(number),"background":false}}
            """
        return try IncomingDocument(parsing: Array(text.utf8), purpose: .edit, limits: limits)
    }

    private func bytes(of directory: String) -> Int {
        guard let files = FileManager.default.enumerator(atPath: directory) else { return 0 }
        var sum = 0
        for case let file as String in files {
            var status = stat()
            if stat("\(directory)/\(file)", &status) == 0 { sum += Int(status.st_blocks) * 512 }
        }
        return sum
    }

    private var memoryText: String { "\(text(peakMegabytes)) MB at most" }

    private var openFileCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
}
