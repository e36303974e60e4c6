//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClientNIO
import GodwitFoundation
import GodwitKeys
import GodwitObjectStore
import GodwitObjects
import GodwitServer
import GodwitStore
import Logging
import Testing

/// The implementations of ``ObjectStore`` on which the shared cases run.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible, Sendable {
    /// The files of a directory, plain and encrypted.
    case files, encryptedFiles
    /// Clients of a server of this project over HTTP.
    case s3, swift
    /// The client of the S3 service at the URL in `GODWIT_S3_URL`.
    case foreignS3
    /// The client of the Swift service whose identity service is at the URL in `GODWIT_SWIFT_URL`.
    case foreignSwift

    var testDescription: String { rawValue }

    /// The kinds that can be tested here.
    static var present: [StoreKind] {
        allCases.filter { $0 != .foreignS3 || foreignURL("S3") != nil }
            .filter { $0 != .foreignSwift || foreignURL("SWIFT") != nil }
    }

    static func foreignURL(_ name: String) -> String? { ProcessInfo.processInfo.environment["GODWIT_\(name)_URL"] }
}

/// Runs a case with a store of a kind and a new container in it.
func withStore(
    _ kind: StoreKind, _ body: (any ObjectStore, _ container: String) async throws -> Void
) async throws {
    let container = "test-\(UInt32.random(in: 0...UInt32.max))"
    switch kind {
    case .foreignS3:
        let store = S3ObjectStore(
            endpoint: StoreKind.foreignURL("S3")!, accessKey: "key", secretKey: "secret",
            transport: AsyncHTTPTransport())
        try await store.createContainer(container)
        try await body(store, container)
    case .foreignSwift:
        let store = SwiftObjectStore(
            authURL: StoreKind.foreignURL("SWIFT")!, user: "test:tester", password: "testing",
            transport: AsyncHTTPTransport())
        try await store.createContainer(container)
        try await body(store, container)
    default:
        try await withStorage(encrypted: kind == .encryptedFiles) { storage in
            let store = try await storage.store(kind)
            try await store.createContainer(container)
            try await body(store, container)
        }
    }
}

/// A storage in a temporary directory with the account `gull`.
struct Storage {
    let manager: DatastoreManager
    let module: ObjectsModule
    let account: ObjectAccount
    let url: String

    func store(_ kind: StoreKind) async throws -> any ObjectStore {
        switch kind {
        case .s3:
            S3ObjectStore(
                endpoint: "\(url)/_s3", accessKey: account.accessKey, secretKey: account.secretKey,
                transport: AsyncHTTPTransport())
        case .swift:
            SwiftObjectStore(
                authURL: "\(url)/v3", user: account.name, password: account.secretKey, project: account.name,
                transport: AsyncHTTPTransport())
        default: EmbeddedObjectStore(module.directory, account: account.name)
        }
    }
}

/// Runs a server with object storage in a temporary directory.
func withStorage(encrypted: Bool = false, _ body: (Storage) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "godwit-objects-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let manager = try DatastoreManager(directory: path, key: encrypted ? .random() : nil, indexes: [])
    let module = try ObjectsModule(manager: manager)
    let account = try await module.directory.run { try $0.addAccount(named: "gull", quota: nil) }
    let (ports, port) = AsyncStream<Int>.makeStream()
    let server = GodwitServer(
        manager: manager, administrators: Administrators(name: "admin", password: "secret"), address: .init(port: 0),
        modules: [module], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        onListening: { port.yield($0) })
    let running = Task { try await server.run() }
    let number = await ports.first { _ in true } ?? 0
    do {
        try await body(
            Storage(manager: manager, module: module, account: account, url: "http://127.0.0.1:\(number)"))
    } catch {
        running.cancel()
        _ = await running.result
        await manager.close()
        throw error
    }
    running.cancel()
    _ = await running.result
    await manager.close()
}
