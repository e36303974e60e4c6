//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitScript
import GodwitSelector
import GodwitViews
import RandomMango
import Testing

@testable import GodwitStore

/// Views that are kept through random changes give what is computed from all documents.
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

    @Test("Processes that are killed between and in the midst of calls cost an error at most, never a wrong row")
    func kills() async throws {
        let scripts = ScriptEngine.workers(
            ScriptWorkerProgram(
                path: URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
                    .appending(path: "ScriptDriver").path,
                arguments: [ScriptWorker.argument, markOfTheKilled]))
        try await withDatastore(scripts) { store in
            let killer = Task {
                while !Task.isCancelled {
                    try await Task.sleep(for: .milliseconds(.random(in: 1...60)))
                    killScriptProcesses()
                }
            }
            defer { killer.cancel() }
            var world = ViewWorld(seed: 99, store: store)
            world.repeatsWhatCrashed = true
            try await world.run(rounds: 25)
        }
    }
}

/// By this the processes of one test are told from those of others that run meanwhile.
private let markOfTheKilled = "to-be-killed"

/// Kills the processes that run functions for this test.
private func killScriptProcesses() {
    let own = "\(getpid())"
    for entry in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
        guard let process = Int32(entry),
            let stat = try? String(contentsOfFile: "/proc/\(entry)/stat", encoding: .utf8),
            stat.contains("(ScriptDriver)"), let end = stat.lastIndex(of: ")"),
            stat[end...].split(separator: " ").dropFirst(2).first.map(String.init) == own,
            let line = try? String(contentsOfFile: "/proc/\(entry)/cmdline", encoding: .utf8),
            line.contains(markOfTheKilled)
        else { continue }
        kill(process, SIGKILL)
    }
}

/// A database that changes at random.
private struct ViewWorld {
    private var generator: SeededGenerator
    private let store: Datastore
    private var addend: Int64 = 0
    private var used: Set<String> = []
    /// Whether a query is asked again when its process died.
    var repeatsWhatCrashed = false

    init(seed: UInt64, store: Datastore) {
        generator = SeededGenerator(seed: seed)
        self.store = store
    }

    mutating func run(rounds: Int) async throws {
        try await define()
        for number in 0..<300 { _ = try await store.create(Document(id: "d\(number)", body: body())) }
        var found = 0
        for round in 0..<rounds {
            for _ in 0..<Int.random(in: 0...4, using: &generator) { try await change() }
            let view = generator.pick(PlainView.all)
            let query = query(of: view, try store.plainDocuments())
            let lines = try await lines(view.name, query)
            let wanted = view.lines(query, of: try store.plainDocuments(), addend: addend)
            found += lines.count
            try #require(lines == wanted, "round \(round), \(view.name), \(query)")
        }
        #expect(found > rounds, "the queries find too little to test anything")
        try await checkSpans()
    }

    private func lines(_ view: String, _ query: ViewQuery) async throws -> [String] {
        while true {
            do {
                return try await store.lines(view) { $0 = query }
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
        let documents = try store.allDocuments().filter { !$0.id!.hasPrefix("_design/") }
        guard var document = documents.randomElement(using: &generator), !generator.chance(1, in: 4) else {
            _ = try await store.create(Document(id: "n\(Int.random(in: 0...1 << 40, using: &generator))", body: body()))
            return
        }
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
            document.body = body()
            _ = try await store.update(document)
        }
    }

    /// Writes a revision that another replica made.
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

    private mutating func query(of view: PlainView, _ documents: [PlainDocument]) -> ViewQuery {
        var query = ViewQuery()
        let keys = view.all(of: documents, addend: addend).map(\.key)
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

    /// Every span says what lies in it.
    private func checkSpans() async throws {
        let index = try #require(try store.indexDescriptions().last)
        let faults = try store.readTogether { try SpanCheck(index, on: $0.connection).faults() }
        #expect(faults == [])
    }
}
