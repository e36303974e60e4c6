//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitSelector
import GodwitViews
import TestKit
import Testing

@testable import GodwitStore

/// Compares views after random changes with results that are computed from all documents.
struct RandomViewTests {
    private static let rounds = Int(ProcessInfo.processInfo.environment["GODWIT_VIEW_ROUNDS"] ?? "") ?? 250

    @Test(
        "2000 rounds of edits, deletions, conflicts, purges and other functions, each followed by a query",
        arguments: 0..<8)
    func agreement(seed: UInt64) async throws {
        try await withDatastore { store in
            var world = ViewWorld(seed: seed, store: store)
            try await world.run(rounds: Self.rounds)
        }
    }

    private static let killedRounds = TestScale.isLong ? 100 : 15

    @Test("Processes that are killed between and in the midst of calls cost an error at most, never a wrong row")
    func kills() async throws {
        // The driver has a separate name, because other tests run processes of the same program.
        let driver = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "TestDriver")
        let link = NSTemporaryDirectory() + killedName
        try? FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: driver.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        try await withDatastore(.workers(ScriptWorkerProgram(path: link))) { store in
            let answered = Mutex(0)
            let killer = Task {
                var (killed, killedOfOne, seen) = (0, 0, 0)
                while !Task.isCancelled {
                    // Processes are killed while they start and while they run.
                    let most = [60, 400].randomElement()!
                    guard (try? await Task.sleep(for: .milliseconds(Int.random(in: 1...most)))) != nil else { break }
                    let now = answered.withLock { $0 }
                    if now > seen { (killedOfOne, seen) = (0, now) }
                    // The fourth attempt of a query is not killed. Without this limit, no query would be answered on a
                    // machine that starts processes slowly.
                    guard killedOfOne < 3, killScriptProcesses() > 0 else { continue }
                    (killed, killedOfOne) = (killed + 1, killedOfOne + 1)
                }
                return killed
            }
            defer { killer.cancel() }
            var world = ViewWorld(seed: 99, store: store)
            world.repeatsWhatCrashed = true
            world.isAnswered = { answered.withLock { $0 += 1 } }
            try await world.run(rounds: Self.killedRounds)
            killer.cancel()
            #expect(await killer.value > Self.killedRounds / 5, "too little is killed to test anything")
        }
    }
}

/// The name of the processes that are killed, which the system truncates to fifteen letters.
private let killedName = "KilledByTests"

/// Kills the processes that run functions for the test.
///
/// - Returns: The number of killed processes.
private func killScriptProcesses() -> Int {
    var count = 0
    let own = "\(getpid())"
    for entry in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
        guard let process = Int32(entry),
            let stat = try? String(contentsOfFile: "/proc/\(entry)/stat", encoding: .utf8),
            stat.contains("(\(killedName))"), let end = stat.lastIndex(of: ")"),
            stat[end...].split(separator: " ").dropFirst(2).first.map(String.init) == own
        else { continue }
        kill(process, SIGKILL)
        count += 1
    }
    return count
}

/// A database with random changes.
private struct ViewWorld {
    private var generator: SeededGenerator
    private let store: Datastore
    private var addend: Int64 = 0
    /// The documents in the form that views use. A document is read again after it was changed.
    private var documents: [PlainDocument] = []
    /// Whether a query is repeated when its process died.
    var repeatsWhatCrashed = false
    /// Called after each query that was answered.
    var isAnswered: @Sendable () -> Void = {}

    init(seed: UInt64, store: Datastore) {
        generator = SeededGenerator(seed: seed)
        self.store = store
    }

    mutating func run(rounds: Int) async throws {
        try await define()
        let bodies = (0..<300).map { _ in body() }
        try await store.transact { transaction in
            for (number, body) in bodies.enumerated() {
                _ = try transaction.create(Document(id: "d\(number)", body: body))
            }
        }
        documents = try store.plainDocuments()
        var found = 0
        for round in 0..<rounds {
            for _ in 0..<Int.random(in: 0...4, using: &generator) { try await change() }
            let view = generator.pick(PlainView.all)
            let rows = view.all(of: documents, addend: addend)
            let query = query(of: view, rows.map(\.key))
            let lines = try await lines(view.name, query)
            let wanted = view.lines(query, of: rows)
            found += lines.count
            try #require(lines == wanted, "round \(round), \(view.name), \(query)")
        }
        #expect(found > rounds, "the queries find too little to test anything")
        #expect(Set(documents) == Set(try store.plainDocuments()))
        try await checkSpans()
    }

    private func lines(_ view: String, _ query: ViewQuery) async throws -> [String] {
        while true {
            do {
                let lines = try await store.lines(view) { $0 = query }
                isAnswered()
                return lines
            } catch let error as ScriptError where repeatsWhatCrashed && error.code == .crashed {}
        }
    }

    private mutating func define() async throws {
        addend = Int64.random(in: 0...9, using: &generator)
        let addend = "\(addend)"
        try await store.define(
            Dictionary(
                uniqueKeysWithValues: PlainView.all.map { view in
                    (view.name, (view.map.replacingOccurrences(of: "%", with: addend), view.reduce))
                }))
    }

    // MARK: Changes

    private mutating func change() async throws {
        guard let id = documents.randomElement(using: &generator)?.id, !generator.chance(1, in: 4) else {
            let id = "n\(Int.random(in: 0...1 << 40, using: &generator))"
            documents.append(try store.plainDocument(try await store.create(Document(id: id, body: body()))))
            return
        }
        try await change(try store.document(id))
        documents.removeAll { $0.id == id }
        if let left = try store.documents([id])[0] { documents.append(try store.plainDocument(left)) }
    }

    private mutating func change(_ document: Document) async throws {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<4: _ = try await store.delete(document)
        case 4..<7: try await conflict(with: document)
        case 7..<9:
            let revisions = try store.read { try $0.row(id: document.id!)?.leaves.map(\.revision) } ?? []
            _ = try await store.purge(document.id!, revisions: [generator.pick(revisions)])
        case 9 where generator.chance(1, in: 6):
            try await define()
            try await store.removeUnwantedIndexes(of: ViewIndex.kindName)
        default:
            var document = document
            document.body = body()
            _ = try await store.update(document)
        }
    }

    /// Writes a revision of another replica.
    private mutating func conflict(with document: Document) async throws {
        let hash = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &generator), radix: 16) }.joined()
        let start = document.revision!.generation
        var members = body()
        members["_id"] = .string(document.id!)
        members["_rev"] = .string("\(start)-\(hash)")
        let text = JSONValue.object(members).jsonBytes()
        let incoming = try IncomingDocument(parsing: text, purpose: .replication, limits: store.limits)
        _ = try await store.writeEach([incoming], isReplicated: true)
    }

    private mutating func body() -> JSONObject {
        var body = JSONObject()
        if !generator.chance(1, in: 8) { body["n"] = .integer(.random(in: -50...50, using: &generator)) }
        if !generator.chance(1, in: 8) { body["a"] = .integer(.random(in: 0...3, using: &generator)) }
        if !generator.chance(1, in: 8) { body["b"] = generator.pick(["x", "X", "é", "e", "z z", ""]) }
        if generator.chance(1, in: 2) {
            body["tags"] = .array((0..<3).map { _ in generator.pick(["red", "Red", 1, 1.5, .null, ["a"], [:]]) })
        }
        if generator.chance(1, in: 2) { body["m"] = RandomMango.value(depth: 2, &generator).asJavaScriptHasIt }
        return body
    }

    // MARK: Queries

    private mutating func query(of view: PlainView, _ keys: [JSONValue]) -> ViewQuery {
        var query = ViewQuery()
        func key(_ generator: inout SeededGenerator) -> JSONValue {
            keys.isEmpty || generator.chance(1, in: 5)
                ? generator.pick([.null, 1, "m", [1], [:]]) : generator.pick(keys)
        }
        query.descending = generator.chance(1, in: 3)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: query.key = key(&generator)
        case 1: query.keys = [key(&generator), key(&generator)]
        case 2, 3:
            let (one, other) = (key(&generator), key(&generator))
            let isOrdered = JSONCollation.compare(one, other) != .after
            (query.startKey, query.endKey) = isOrdered != query.descending ? (one, other) : (other, one)
            query.inclusiveEnd = generator.chance(2, in: 3)
        case 4: query.startKey = key(&generator)
        default: break
        }
        if generator.chance(1, in: 3) { query.skip = Int.random(in: 0...30, using: &generator) }
        if generator.chance(1, in: 3) { query.limit = Int.random(in: 0...30, using: &generator) }
        if view.reduce != nil {
            query.reduce = generator.chance(2, in: 3)
            if query.reduce == true {
                query.grouping = query.keys != nil ? .exact : generator.pick([.none, .exact, .level(1), .level(2)])
            }
        }
        return query
    }

    /// Checks that the spans agree with their rows.
    private func checkSpans() async throws {
        let index = try #require(try store.indexDescriptions().last)
        let faults = try store.readTogether { try SpanCheck(index, on: $0.connection).faults() }
        #expect(faults == [])
    }
}
