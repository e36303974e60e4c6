//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import GodwitPlaces
import GodwitQuery
import GodwitStore
import GodwitViews

/// Tasks that each write their own part of a known pattern, and print a line for each acknowledged write:
///
/// - `b T K`: the batch K of task T: ten documents T-K-0 … T-K-9, in one write
/// - `c T K`: the counter of task T is K
/// - `a T K`: the document a-T has an attachment of K bytes
/// - `d T K`: the document T-K-0 is deleted
/// - `m T K`: the database m-T-K is created; for even K it is deleted again, reported by `x T K`
struct Load {
    private let manager: DatastoreManager
    private let store: Datastore
    private static let tasks = 6

    init(directory: String, durability: Durability, key: EncryptionKey?, options: DirectoryOptions) async throws {
        manager = try DatastoreManager(
            directory: directory, durability: durability, key: key, options: options, scripts: .inProcess())
        store = try await manager.datastore(named: "load")
        try await store.ensureIndex(["round", "k"], named: "round")
        try await store.ensureTextIndex(named: "words")
        try await store.ensureGeoIndex(on: "at", named: "places")
        // Another index is built during the writes.
        if try store.indexes().contains(where: { $0.name == "again" }) { try await store.deleteIndex("again") }
        try await store.ensureGeoIndex(on: "at", named: "again")
        if try store.documents([Load.design])[0] == nil {
            let views: JSONValue = [
                "rounds": ["map": "function(doc) { if (doc.round) emit(doc.round % 7, doc.round) }", "reduce": "_sum"],
                "scripted": [
                    "map": "function(doc) { if (doc.round) emit(doc._id, doc.round) }",
                    "reduce": "function(keys, values) { return sum(values) }",
                ],
            ]
            _ = try await store.create(Document(id: Load.design, body: ["views": views]))
        }
    }

    private static let design = "_design/load"

    func run() async throws {
        say("ready")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<Load.tasks { group.addTask { try await work(task) } }
            group.addTask {
                while true { _ = try await store.compact() }
            }
            group.addTask {
                while true { _ = try await store.plan(ViewQuery(), view: "rounds", design: Load.design) }
            }
            try await group.waitForAll()
        }
    }

    private func work(_ task: Int) async throws {
        var counter = try await counter(task)
        while true {
            let round = (counter.body["k"]?.intValue ?? 0) + 1
            try await batch(task, round)
            counter.body["k"] = .integer(Int64(round))
            counter.body["at"] = Load.point(task, round)
            counter = try await store.update(counter)
            say("c \(task) \(round)")
            if round % 3 == 0 { try await attach(task, round) }
            if round % 4 == 0 {
                try await store.delete("\(task)-\(round)-0")
                say("d \(task) \(round)")
            }
            if round % 5 == 0 { try await makeDatabase(task, round) }
        }
    }

    private func counter(_ task: Int) async throws -> Document {
        if let found = try store.documents(["counter-\(task)"])[0] { return found }
        return try await store.create(Document(id: "counter-\(task)", body: ["k": 0]))
    }

    private func batch(_ task: Int, _ round: Int) async throws {
        try await store.write { transaction in
            for position in 0..<10 {
                let id = "\(task)-\(round)-\(position)"
                // A round that was interrupted before its counter was written is repeated.
                guard (try? transaction.document(id)) == nil else { continue }
                let body: JSONObject = ["round": .integer(Int64(round)), "at": Load.point(task * 10 + position, round)]
                _ = try transaction.create(Document(id: id, body: body))
            }
        }
        say("b \(task) \(round)")
    }

    /// Returns a position on a journey.
    private static func point(_ journey: Int, _ step: Int) -> JSONValue {
        let coordinates: JSONValue = [.double(Double(step % 3_600) / 20), .double(Double(journey))]
        return ["type": "Point", "coordinates": coordinates]
    }

    private func attach(_ task: Int, _ round: Int) async throws {
        var document = try store.documents(["a-\(task)"])[0] ?? Document(id: "a-\(task)", body: [:])
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: round * 1_000)
        document.attachments["x"] = .data(bytes, contentType: "t/x")
        document = try await document.revision == nil ? store.create(document) : store.update(document)
        say("a \(task) \(round * 1_000)")
    }

    private func makeDatabase(_ task: Int, _ round: Int) async throws {
        let name = "m-\(task)-\(round)"
        _ = try await manager.datastore(named: name).create(Document(body: [:]))
        say("m \(task) \(round)")
        if round % 2 == 0 {
            try await manager.delete(named: name)
            say("x \(task) \(round)")
        }
    }
}
