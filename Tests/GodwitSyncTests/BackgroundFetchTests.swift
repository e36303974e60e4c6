//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Godwit
import GodwitStore
import GodwitSync
import GodwitTransport
import TestKit
import Testing

@Suite("Downloads by the system", .endsWhenHung)
struct BackgroundFetchTests {
    private static let photo = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }

    /// Runs `body` with a manager whose database `target` has a document without the bytes of its photo, the address of
    /// the server with the bytes, and a directory for downloads.
    private func withAbsentPhoto(
        _ body: @escaping @Sendable (DatastoreManager, _ address: String, _ directory: String) async throws -> Void
    ) async throws {
        try await withManager { manager in
            let source = try await manager.datastore(named: "source")
            let target = try await manager.datastore(named: "target")
            _ = try await source.create(
                Document(
                    id: "trip", body: ["n": 1],
                    attachments: ["a photo.jpg": .data(Self.photo, contentType: "image/jpeg")]))
            var pull = Replicator(.pull, target, with: LocalEndpoint(source))
            pull.attachmentBytesMax = 1_000
            _ = try await pull.run()
            let directory = NSTemporaryDirectory() + "godwit-fetches-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            try await withServer(of: manager) { try await body(manager, $0, directory) }
        }
    }

    private func remote(_ address: String, password: String = "secret") throws -> RemoteEndpoint {
        try .couchDB("\(address)/source", credentials: .basic(user: "admin", password: password))
    }

    private func outcome(of fetches: BackgroundFetches) async throws -> BackgroundFetches.Outcome {
        try #require(await fetches.outcomes.first { _ in true })
    }

    private func photo(in datastore: Datastore) async throws -> [UInt8]? {
        let attachment = try #require(try datastore.document("trip").attachments["a photo.jpg"])
        return attachment.isAbsent ? nil : try await datastore.bytes(of: attachment).collect(bytesMax: 1_000_000)
    }

    @Test("An absent attachment is downloaded and stored, and no file remains")
    func download() async throws {
        try await withAbsentPhoto { manager, address, directory in
            let target = try await manager.datastore(named: "target")
            let fetches = try BackgroundFetches(identifier: "test", directory: directory, manager: manager)
            try await fetches.fetch("a photo.jpg", of: "trip", in: target, from: remote(address))
            let outcome = try await outcome(of: fetches)
            #expect(outcome.error == nil && outcome.fetch.name == "a photo.jpg" && outcome.fetch.database == "target")
            #expect(try await photo(in: target).map { isSame($0, Self.photo) } == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
            // The bytes are here now.
            try await fetches.fetch("a photo.jpg", of: "trip", in: target, from: remote(address))
            #expect(await fetches.active.isEmpty)
        }
    }

    @Test("A refused download says why")
    func refusals() async throws {
        try await withAbsentPhoto { manager, address, directory in
            let target = try await manager.datastore(named: "target")
            let fetches = try BackgroundFetches(identifier: "test", directory: directory, manager: manager)
            try await fetches.fetch("a photo.jpg", of: "trip", in: target, from: remote(address, password: "wrong"))
            #expect(try await outcome(of: fetches).error?.code == .unauthorized)
            try await manager.datastore(named: "source").delete("trip")
            _ = try await manager.datastore(named: "source").compact()
            try await manager.delete(named: "source")
            try await fetches.fetch("a photo.jpg", of: "trip", in: target, from: remote(address))
            #expect(try await outcome(of: fetches).error?.code == .attachmentRefused)
            await #expect(throws: ReplicationError.self) {
                try await fetches.fetch("other.jpg", of: "trip", in: target, from: remote(address))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test("A file that arrived before the app ended is stored at the next start; one with other bytes is not")
    func arrivals() async throws {
        try await withAbsentPhoto { manager, _, directory in
            let target = try await manager.datastore(named: "target")
            for bytes: [UInt8] in [Self.photo.dropLast() + [0], Self.photo] {
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                try Data(bytes).write(to: URL(filePath: "\(directory)/one"))
                let ticket = #"{"database":"target","id":"trip","name":"a photo.jpg","requests":[]}"#
                try Data(ticket.utf8).write(to: URL(filePath: "\(directory)/one.json"))
                let fetches = try BackgroundFetches(identifier: "test", directory: directory, manager: manager)
                let outcome = try await outcome(of: fetches)
                let isRight = bytes.last == Self.photo.last
                #expect(outcome.error?.code == (isRight ? nil : .attachmentRefused))
                #expect(try await photo(in: target) == nil || isRight)
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
            }
            #expect(try await photo(in: target).map { isSame($0, Self.photo) } == true)
        }
    }
}

/// Returns whether two large values are equal; `#expect` would compute their difference.
private func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool { one == other }
