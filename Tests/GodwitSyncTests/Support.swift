//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import GodwitPlaces
import GodwitQuery
import GodwitServer
import GodwitStore
import GodwitSync
import GodwitTransport
import GodwitViews
import Logging
import Testing

/// Runs `body` with a manager of a new directory, and removes the directory.
func withManager(
    key: EncryptionKey? = nil, scripts: ScriptEngine? = nil, _ body: (DatastoreManager) async throws -> Void
) async throws {
    let path = NSTemporaryDirectory() + "godwit-sync-" + UUID().uuidString
    GeospatialQueries.enable()
    let manager =
        if let scripts {
            try DatastoreManager(directory: path, durability: .normal, key: key, scripts: scripts)
        } else {
            try DatastoreManager(directory: path, durability: .normal, key: key)
        }
    defer { try? FileManager.default.removeItem(atPath: path) }
    do {
        try await body(manager)
    } catch {
        await manager.close()
        throw error
    }
    await manager.close()
}

/// Runs `body` with the URL of a server of the manager's databases.
func withServer(
    of manager: DatastoreManager, _ body: @escaping @Sendable (_ address: String) async throws -> Void
) async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let server = GodwitServer(
        manager: manager, administrators: Administrators(name: "admin", password: "secret"),
        address: .init(port: 0), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        onListening: { port.yield($0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        for await port in ports {
            try await body("http://127.0.0.1:\(port)")
            break
        }
        group.cancelAll()
    }
}

/// The kinds of endpoints for a test: datastores, or the same ones behind a server.
enum Way: String, CaseIterable, Sendable {
    case localToLocal, localToRemote, remoteToLocal, remoteToRemote
    /// With URLSession, which apps without SwiftNIO use.
    case remoteToRemoteByURLSession

    private var isFromRemote: Bool { self != .localToLocal && self != .localToRemote }
    var isToRemote: Bool { self != .localToLocal && self != .remoteToLocal }
    private var wire: Wire { self == .remoteToRemoteByURLSession ? .urlSession : .asyncHTTPClient }

    /// Runs `body` with a source and a target, and their datastores.
    func withEndpoints(
        _ body: @escaping @Sendable (Ends) async throws -> Void
    ) async throws {
        try await withManager { manager in
            let source = try await manager.datastore(named: "source")
            let target = try await manager.datastore(named: "target")
            try await withServer(of: manager) { address in
                let remote = { (name: String) throws -> RemoteEndpoint in
                    RemoteEndpoint(
                        try RemoteURL("\(address)/\(name)"), credentials: .basic(user: "admin", password: "secret"),
                        transport: wire.transport)
                }
                let from: any DatabaseEndpoint = isFromRemote ? try remote("source") : LocalEndpoint(source)
                let to: any DatabaseEndpoint = isToRemote ? try remote("target") : LocalEndpoint(target)
                try await body(Ends(source: source, target: target, from: from, to: to))
            }
        }
    }

    struct Ends: Sendable {
        let source: Datastore
        let target: Datastore
        let from: any DatabaseEndpoint
        let to: any DatabaseEndpoint

        func replicate(limits: ReplicationLimits = ReplicationLimits()) async throws -> ReplicationReport {
            try await Replicator(from: from, to: to, limits: limits).run()
        }
    }
}

extension Datastore {
    /// Returns all replicated data: the leaves of each document with their history, bodies and attachments.
    func fingerprint() throws -> [String: [String]] {
        var documents: [String: [String]] = [:]
        var rows: [DocumentRow] = []
        var hasMore = true
        while hasMore {
            let slice = try changes(after: rows.last?.sequence ?? 0, detail: .bodies)
            rows += slice.rows
            hasMore = slice.hasMore
        }
        for row in rows {
            documents[row.id] = try readTogether { table in
                try row.leaves.map { leaf in
                    let stored = try #require(try table.revision(leaf.revision, of: row))
                    let tree = try table.fullTree(of: row)
                    var renderer = DocumentRenderer()
                    renderer.path = tree.path(from: try #require(tree.index(of: leaf.revision)))
                    renderer.attachments = .inline(unlessIn: [])
                    var text = DocumentText()
                    renderer.append(stored, to: &text)
                    return String(decoding: try table.filled(text), as: UTF8.self)
                }
            }
        }
        return documents
    }

    /// Writes a revision from another replica.
    func graft(_ text: String) async throws {
        let document = try IncomingDocument(parsing: Array(text.utf8), purpose: .replication, limits: limits)
        _ = try await transact { try $0.graft(document) }
    }

    func hasNothingMissing(of source: Datastore) throws -> Bool { try fingerprint() == source.fingerprint() }
}
