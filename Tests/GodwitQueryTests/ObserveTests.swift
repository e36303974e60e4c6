//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitSelector
import TestKit
import Testing

@testable import GodwitQuery
@testable import GodwitStore
@testable import GodwitText

@Suite("Live queries")
struct ObserveTests {
    private static let queries: [FindQuery] = [
        FindQuery(selector: ["kind": "trip"], limit: .max),
        FindQuery(selector: ["kind": "trip"], sort: ["km"], limit: .max),
        FindQuery(selector: ["kind": "trip"], sort: [.descending("km")], limit: 4),
        FindQuery(selector: ["kind": "trip"], sort: ["km"], limit: 3, skip: 2),
        FindQuery(selector: ["kind": "trip"], limit: 3, skip: 1),
        FindQuery(selector: ["km": ["$gt": 2]], fields: ["_id", "km"], sort: [.descending("km"), "kind"], limit: 5),
        FindQuery(selector: [:], sort: ["_id"], limit: .max),
        FindQuery(selector: ["$or": [["km": 1], ["kind": "stop"]]], sort: [.descending("_id")], limit: 6),
    ]

    @Test(
        "After every write and purge the results are those of the query, with and without indexes", arguments: 0..<6)
    func agreement(seed: UInt64) async throws {
        try await withDatastore { store in
            var generator = SeededGenerator(seed: seed)
            if seed % 2 == 0 {
                try await store.defineIndex("km", fields: ["km"])
                try await store.defineIndex("kindkm", fields: ["kind", "km"])
            }
            for _ in 0..<30 { try await write(store, &generator) }
            var runs = try Self.queries.map {
                try LiveRun($0, in: store, withDocuments: true, reserve: Int.random(in: 0...3, using: &generator))
            }
            var lists: [[Document]] = Self.queries.map { _ in [] }
            for round in 0..<60 {
                if round > 0 {
                    for _ in 0..<generator.pick([1, 1, 2, 10]) { try await write(store, &generator) }
                }
                for position in runs.indices {
                    let old = lists[position].map(Self.text)
                    if let step = try await runs[position].step() {
                        lists[position] = try followed(lists[position], step)
                        #expect(round == 0 || !step.differences.isEmpty)
                    } else {
                        #expect(lists[position].map(Self.text) == old)
                    }
                    let expected = try await expected(Self.queries[position], store)
                    #expect(lists[position].map(Self.text) == expected.map(Self.text), "\(Self.queries[position])")
                }
            }
        }
    }

    /// Returns the list after a step.
    private func followed(_ list: [Document], _ step: LiveRun.Step?) throws -> [Document] {
        guard let step else { return list }
        return try step.differences.applied(to: list) { try #require(try step.documents[$0]?.document()) }
    }

    private static func text(_ document: Document) -> String {
        "\(document.id ?? "") \(document.revision?.description ?? "") \(JSONValue.object(document.body).jsonText())"
    }

    /// Returns the documents that the query matches; equal ones in the order of their ids.
    private func expected(_ query: FindQuery, _ store: Datastore) async throws -> [Document] {
        var whole = query
        (whole.fields, whole.limit, whole.skip, whole.sort) = (nil, .max, 0, [])
        let definition = JSONIndexDefinition(fields: query.sort)
        let all = try await store.find(whole).documents.map { document in
            var body = document.body
            body["_id"] = document.id.map { .string($0) }
            let tape = try JSONTape(scanning: JSONValue.object(body).jsonBytes())
            let key = query.sort.isEmpty ? [] : definition.entries(of: tape, id: document.id!)[0].key
            return (position: LivePosition(key: key, id: document.id!), document: document)
        }
        let shown = all.sorted { $0.position < $1.position }.dropFirst(query.skip).prefix(query.limit).map(\.document)
        guard let fields = query.fields else { return Array(shown) }
        return shown.map { document in
            var body = document.body
            for name in Array(body.keys) where !fields.contains(name) { body[name] = nil }
            return Document(id: document.id, revision: nil, isDeleted: false, body: body, attachments: [:])
        }
    }

    /// Creates, changes, deletes or purges a document.
    private func write(_ store: Datastore, _ generator: inout SeededGenerator) async throws {
        let id = "d\(Int.random(in: 0..<20, using: &generator))"
        let body: JSONObject = [
            "kind": .string(generator.pick(["trip", "trip", "stop"])),
            "km": .integer(Int64.random(in: 0...5, using: &generator)),
        ]
        let old = try? store.document(id)
        switch (old, Int.random(in: 0..<8, using: &generator)) {
        case (nil, _): _ = try await store.create(Document(id: id, body: body))
        case (_, 0): try await store.delete(id)
        case (_, 1): _ = try await store.purge(id)
        case (var document?, _):
            document.body = body
            _ = try await store.update(document)
        }
    }

    @Test("The first element has the results, later ones what entered, changed, moved and left")
    func elements() async throws {
        try await withDatastore { store in
            for km in 1...3 { _ = try await store.create(Document(id: "t\(km)", body: ["km": .integer(Int64(km))])) }
            var results = store.observe(["km": ["$gt": 0]], sort: ["km"]).makeAsyncIterator()
            let first = try #require(try await results.next())
            #expect(first.documents.map(\.id) == ["t1", "t2", "t3"] && first.differences.entered == [0, 1, 2])
            var document = first.documents[0]
            document.body["km"] = 9
            document = try await store.update(document)
            let second = try #require(try await results.next())
            #expect(second.documents.map(\.id) == ["t2", "t3", "t1"])
            #expect(second.documents[2].body["km"] == 9)
            #expect(second.differences.moved == [.init(from: 0, to: 2)])
            try await store.delete("t2")
            _ = try await store.create(Document(id: "t0", body: ["km": 4]))
            document.body["note"] = "x"
            document = try await store.update(document)
            _ = try await store.create(Document(id: "other", body: ["km": 0]))
            let third = try #require(try await results.next())
            #expect(third.documents.map(\.id) == ["t3", "t0", "t1"], "a burst is one element")
            #expect(third.differences.left == [0] && third.differences.entered == [1])
            #expect(third.differences.changed == [2])
            document.body["km"] = -1
            _ = try await store.update(document)
            #expect(try await results.next()?.differences.left == [2], "it meets the selector no longer")
        }
    }

    @Test("A conflict is shown when its winner changes, and with its members if conflicts are requested")
    func conflicts() async throws {
        try await withDatastore { store in
            try await store.graft("a", "2-bb", n: 1)
            var query = FindQuery(selector: ["n": ["$gt": 0]])
            var plain = store.observe(query).makeAsyncIterator()
            query.showsConflicts = true
            var run = try LiveRun(query, in: store, withDocuments: true)
            #expect(try await plain.next()?.documents.map { $0.revision?.description } == ["2-bb"])
            #expect(try await run.step()?.differences.entered == [0])
            try await store.graft("a", "2-aa", n: 2)
            #expect(try await run.step()?.differences.changed == [0])
            try await store.graft("a", "2-cc", n: 3)
            let next = try await plain.next()
            #expect(next?.documents.map { $0.body["n"] } == [3] && next?.differences.changed == [0])
        }
    }

    @Test("A change that concerns no result causes no element")
    func unrelated() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: ["km": 1, "note": "x"]))
            var run = try LiveRun(FindQuery(selector: ["km": 1], fields: ["km"]), in: store, withDocuments: true)
            #expect(try await run.step()?.documents.count == 1)
            _ = try await store.create(Document(id: "b", body: ["km": 2]))
            #expect(try await run.step() == nil)
            var document = try store.document("a")
            document.body["note"] = "y"
            _ = try await store.update(document)
            #expect(try await run.step() == nil, "the member is not shown")
            #expect(run.sequence == store.updateSequence.number)
        }
    }

    @Test("A text search runs again after a change of a document that it may find", arguments: [1, 2, .max])
    func text(limit: Int) async throws {
        try await withTextStore { texts in
            let store = texts.store
            try await texts.add([("a", ["kind": "x", "t": "a fox in a wood"]), ("b", ["kind": "x", "t": "fox fox"])])
            let query = FindQuery(selector: ["kind": "x", "$text": "fox"], limit: limit)
            var run = try LiveRun(query, in: store, withDocuments: true)
            var list = try followed([], try await run.step())
            var next = 0
            for (id, text, kind) in [
                ("c", "a fox", "x"), ("c", "no such word here", "x"), ("b", "wood", "x"), ("d", "fox fox fox", "y"),
                ("d", "fox fox fox", "x"), ("a", "fox", "y"),
            ] {
                next += 1
                if (try? store.document(id)) == nil {
                    try await texts.add([(id, ["kind": .string(kind), "t": .string(text)])])
                } else {
                    try await texts.edit(id, ["kind": .string(kind), "t": .string(text)])
                }
                let step = try await run.step()
                #expect(step?.differences.isEmpty != true)
                list = try followed(list, step)
                #expect(list.map(Self.text) == (try await store.find(query)).documents.map(Self.text), "\(next)")
            }
        }
    }

    @Test("More purges than are recorded are detected by running the query again")
    func forgottenPurges() async throws {
        var limits = StoreLimits.default
        limits.purgesRememberedMax = 2
        try await withDatastore(limits: limits) { store in
            for number in 0..<6 { _ = try await store.create(Document(id: "d\(number)", body: [:])) }
            var run = try LiveRun(FindQuery(selector: [:]), in: store, withDocuments: true)
            #expect(try await run.step()?.documents.count == 6)
            for number in 0..<4 { _ = try await store.purge("d\(number)") }
            #expect(try await run.step()?.differences.left == [0, 1, 2, 3])
        }
    }

    @Test("Writes while the query runs are neither missed nor shown twice")
    func concurrentWrites() async throws {
        try await withDatastore { store in
            for number in 0..<1_500 { _ = try await store.create(Document(id: "d\(number)", body: ["n": 0])) }
            let writer = Task {
                var generator = SeededGenerator(seed: 7)
                for round in 1...1_000 {
                    var document = try store.document("d\(Int.random(in: 0..<1_500, using: &generator))")
                    document.body["n"] = .integer(Int64(generator.chance(1, in: 3) ? -round : round))
                    _ = try await store.update(document)
                }
            }
            let query = FindQuery(selector: ["n": ["$gte": 0]], sort: ["n"], limit: 1_000)
            var runs: [LiveRun] = []
            var lists: [[Document]] = []
            for _ in 0..<6 {
                var run = try LiveRun(query, in: store, withDocuments: true, reserve: 0)
                lists.append(try followed([], try await run.step()))
                runs.append(run)
                let values = lists.last!.map { $0.body["n"]?.intValue ?? -1 }
                #expect(values.count == 1_000 && Set(lists.last!.map(\.id)).count == 1_000)
                #expect(values == values.sorted() && values[0] >= 0)
            }
            try await writer.value
            let expected = try await expected(query, store).map(Self.text)
            for position in runs.indices {
                let list = try followed(lists[position], try await runs[position].step())
                #expect(list.map(Self.text) == expected)
            }
        }
    }

    @Test("It ends with its task and with the datastore, and fails above its limit")
    func ends() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: [:]))
            let task = Task { try await store.observe([:]).reduce(0) { count, _ in count + 1 } }
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            #expect(try await task.value <= 1)
            var run = try LiveRun(FindQuery(selector: [:], limit: .max), in: store, withDocuments: false, rowsMax: 2)
            _ = try await run.step()
            for id in ["b", "c"] { _ = try await store.create(Document(id: id, body: [:])) }
            await #expect(throws: QueryError.tooManyLiveRows(2)) { _ = try await run.step() }
            let query = FindQuery(selector: [:], sort: ["kind"], limit: 1)
            for (rowsMax, error) in [(3, nil), (2, QueryError.tooManyEqualRows(2))] {
                var equal = try LiveRun(query, in: store, withDocuments: true, rowsMax: rowsMax, reserve: 0)
                if let error {
                    await #expect(throws: error) { _ = try await equal.step() }
                } else {
                    #expect(try await equal.step()?.documents[0]?.document().id == "a")
                }
            }
            var wrong = store.observe(["a": ["$strange": 1]]).makeAsyncIterator()
            await #expect(throws: StoreError.self) { _ = try await wrong.next() }
        }
    }

    @Test("It ends when its datastore closes")
    func closing() async throws {
        var task: Task<Int, any Error>?
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: [:]))
            let (shown, shows) = AsyncStream.makeStream(of: Void.self)
            task = Task {
                try await store.observe([:]).reduce(0) { count, _ in
                    shows.yield()
                    return count + 1
                }
            }
            _ = await shown.first { _ in true }
        }
        #expect(try await task?.value == 1)
    }
}

extension Datastore {
    /// Inserts a revision as a replication does.
    fileprivate func graft(_ id: String, _ revision: String, n: Int) async throws {
        let text = #"{"_id":"\#(id)","_rev":"\#(revision)","n":\#(n)}"#
        let document = try IncomingDocument(parsing: Array(text.utf8), purpose: .replication, limits: limits)
        _ = try await transact { try $0.graft(document) }
    }
}
