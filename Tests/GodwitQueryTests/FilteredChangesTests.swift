//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitSelector
import GodwitStore
import TestKit
import Testing

@Suite("Filtered changes")
struct FilteredChangesTests {
    /// Reads all changes; returns the ids of the documents that pass.
    private func ids(
        _ filter: FeedFilter, of store: Datastore, after sequence: Int64, _ order: FilteredChanges.Order, rowsMax: Int
    ) async throws -> [String] {
        var changes = try FilteredChanges(of: store, filter, allLeaves: false, after: sequence, order: order)
        var ids: [String] = []
        var sequences: [Int64] = []
        while !changes.isAtEnd {
            let rows = try await changes.next(rowsMax: rowsMax)
            sequences += rows.map(\.row.sequence)
            ids += rows.filter { !$0.leaves.isEmpty }.map(\.row.id)
        }
        #expect(sequences == (order == .ascending ? sequences.sorted() : sequences.sorted(by: >)))
        #expect(order == .descending || changes.last == store.updateSequence.number)
        return ids
    }

    @Test(
        "Candidates of an index and looked-up ids give the changes of a scan, from any sequence, in slices of any size")
    func agreement() async throws {
        try await withDatastore { store in
            try await store.transact { transaction in
                for number in 0..<2_500 {
                    _ = try transaction.create(
                        Document(id: "\(number)", body: ["n": .integer(Int64(number % 100))]))
                }
            }
            try await store.ensureIndex(["n"], named: "n")
            for number in stride(from: 3, to: 2_500, by: 250) { try await store.delete("\(number)") }
            for index in try store.indexDescriptions() { #expect(try await store.catchUp(index)) }
            let few = Set(["7", "3", "2499", "absent"].map(ExactText.init))
            let many = Set((0..<1_500).map { ExactText("\($0)") })
            let selector = try Selector(parsing: ["n": 5])
            #expect(try store.changeCandidates(for: selector, after: 0) != nil)
            let filters: [FeedFilter] = [
                .everything, .designs, .ids(few), .ids(many), .selector(selector),
                .closure { $0.body["n"]?.intValue == 5 },
            ]
            for filter in filters {
                let all = try await ids(.everything, of: store, after: 0, .ascending, rowsMax: 1_000)
                let passing = try all.filter { id in
                    let document = try store.read { try $0.row(id: id) }!
                    return switch filter {
                    case .everything, .function: true
                    case .designs: id.hasPrefix("_design/")
                    case .ids(let ids): ids.contains(ExactText(id))
                    case .selector, .closure: try JSONValue(parsing: document.body).objectValue?["n"] == 5
                    }
                }
                for rowsMax in [1, 7, 10_000] {
                    #expect(try await ids(filter, of: store, after: 0, .ascending, rowsMax: rowsMax) == passing)
                    #expect(
                        try await ids(filter, of: store, after: 0, .descending, rowsMax: rowsMax) == passing.reversed())
                }
                let end = store.updateSequence.number
                #expect(try await ids(filter, of: store, after: end, .ascending, rowsMax: 7).isEmpty)
            }
        }
    }

    @Test("A scan that no document passes ends when its task is cancelled")
    func cancelled() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: [:]))
            let error = await Task { () async -> (any Error)? in
                withUnsafeCurrentTask { $0?.cancel() }
                do {
                    _ = try await ids(.closure { _ in false }, of: store, after: 0, .ascending, rowsMax: 1)
                    return nil
                } catch {
                    return error
                }
            }.value
            #expect(error is CancellationError)
        }
    }

    @Test(
        "issue 55, 2: of a document with several leaves, exactly those pass that match by themselves and have the owner",
        arguments: 0..<20, [nil, "ann"]
    )
    func leaves(seed: UInt64, owner: String?) async throws {
        var random = SeededGenerator(seed: seed)
        try await withDatastore { all in
            try await all.ensureIndex(["k"], named: "k")
            let store = try owner.map { all.scoped(to: try .owner($0)) } ?? all
            var matching: [String: Set<String>] = [:]
            for number in 0..<300 {
                let id = "d\(number)"
                for leaf in 0..<Int.random(in: 1...4, using: &random) {
                    let k = ["a", "b", "c"].randomElement(using: &random)!
                    let isDeleted = Int.random(in: 0..<4, using: &random) == 0
                    let revision = "\(Int.random(in: 1...3, using: &random))-\(leaf)"
                    let text =
                        #"{"_id":"\#(id)","_rev":"\#(revision)","k":"\#(k)"\#(isDeleted ? #","_deleted":true"# : "")}"#
                    let document = try IncomingDocument(
                        parsing: Array(text.utf8), purpose: .replication, limits: store.limits)
                    _ = try await store.writeEach([document], isReplicated: true)
                    if owner != nil {
                        // Another owner has leaves of the same documents that also match.
                        let text = #"{"_id":"\#(id)","_rev":"3-f\#(leaf)","k":"a"}"#
                        let foreign = try IncomingDocument(
                            parsing: Array(text.utf8), purpose: .replication, limits: store.limits)
                        _ = try await all.scoped(to: try .owner("bob")).writeEach([foreign], isReplicated: true)
                    }
                    if k == "a" { matching[id, default: []].insert(revision) }
                }
            }
            for index in try all.indexDescriptions() { #expect(try await all.catchUp(index)) }
            let filters: [FeedFilter] = [
                .selector(try Selector(parsing: ["k": "a"])), .closure { $0.body["k"]?.stringValue == "a" },
            ]
            for filter in filters {
                var found: [String: Set<String>] = [:]
                var changes = try FilteredChanges(of: store, filter, allLeaves: true, after: 0)
                while !changes.isAtEnd {
                    for row in try await changes.next(rowsMax: 50) where !row.leaves.isEmpty {
                        found[row.row.id] = Set(row.leaves.map(\.revision.description))
                    }
                }
                #expect(found == matching)
            }
        }
    }
}
