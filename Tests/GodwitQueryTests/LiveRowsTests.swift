//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestKit
import Testing

@testable import GodwitQuery

/// The expected results of a live query, computed from all documents each time.
private struct LiveWorld: Hashable {
    /// The sort key and the version of each document that matches.
    var documents: [String: Version] = [:]

    struct Version: Hashable {
        var key: UInt8
        var number: Int

        var state: LiveState {
            let number = number
            return LiveState(key: [key], version: LiveVersion { $0.combine(number) })
        }
    }

    /// All results in order.
    var results: [(position: LivePosition, state: LiveState)] {
        documents.map { (LivePosition(key: [$1.key], id: $0), $1.state) }.sorted { $0.position < $1.position }
    }

    func shown(skip: Int, limit: Int) -> [String] { results.dropFirst(skip).prefix(limit).map(\.position.id) }

    /// Returns the events that change this world to another one.
    func events(to other: LiveWorld, ids: [String]) -> [LiveEvent] {
        ids.filter { documents[$0] != other.documents[$0] }.map { id in
            LiveEvent(id: id, state: other.documents[id].map(\.state))
        }
    }
}

@Suite("Rows of a live query")
struct LiveRowsTests {
    private static let ids = ["a", "b", "c"]

    /// All combinations in which three documents may match.
    private static let worlds: [LiveWorld] = {
        var worlds = [LiveWorld()]
        for id in ids {
            worlds = worlds.flatMap { world in
                var all = [world]
                for (key, number) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
                    var next = world
                    next.documents[id] = .init(key: UInt8(key), number: number)
                    all.append(next)
                }
                return all
            }
        }
        return worlds
    }()

    @Test(
        "From every small state to every other one, the differences transform one list to the other and are minimal",
        arguments: [(0, Int.max), (0, 1), (0, 2), (1, 1), (1, 2), (2, .max)])
    func smallWorlds(skip: Int, limit: Int) {
        let all = Self.worlds.map { ($0, results: $0.results, shown: $0.shown(skip: skip, limit: limit)) }
        // Only the equality of versions matters, so starting with the first versions covers every case.
        for (before, results, old) in all where before.documents.values.allSatisfy({ $0.number == 1 }) {
            var begun = LiveRows(skip: skip, limit: limit, reserve: 0, rowsMax: 100)
            begun.replace(results, end: nil)
            #expect(begun.takeDifferences().applied(to: []) { old[$0] } == old)
            for (after, results, new) in all {
                var rows = begun
                rows.apply(before.events(to: after, ids: Self.ids))
                if rows.mustQuery { rows.replace(results, end: nil) }
                expect(rows.takeDifferences(), from: (before, old), to: (after, new))
            }
        }
    }

    /// Checks differences against the results before and after.
    private func expect(
        _ differences: QueryDifferences, from before: (world: LiveWorld, shown: [String]),
        to after: (world: LiveWorld, shown: [String])
    ) {
        let (old, new) = (before.shown, after.shown)
        #expect(differences.applied(to: old) { new[$0] } == new, "\(before.world) to \(after.world): \(differences)")
        #expect(differences.left.map { old[$0] } == old.filter { !new.contains($0) })
        #expect(differences.entered.map { new[$0] } == new.filter { !old.contains($0) })
        for move in differences.moved { #expect(old[move.from] == new[move.to]) }
        let moved = Set(differences.moved.map { new[$0.to] })
        // No row is moved when the remaining ones have the same order.
        if old.filter(new.contains) == new.filter(old.contains) { #expect(moved.isEmpty) }
        let differing = new.filter { id in
            old.contains(id) && !moved.contains(id)
                && before.world.documents[id]?.number != after.world.documents[id]?.number
        }
        #expect(differences.changed.map { new[$0] } == differing)
    }

    @Test(
        "With a limit, the window is right after every write, and the query is run only when necessary",
        arguments: TestScale.seeds(12, of: 40))
    func windows(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let ids = (0..<30).map { "d\($0)" }
        let (skip, limit) = (Int.random(in: 0...3, using: &generator), Int.random(in: 1...6, using: &generator))
        var rows = LiveRows(skip: skip, limit: limit, reserve: Int.random(in: 0...4, using: &generator), rowsMax: 100)
        var (world, queries) = (LiveWorld(), 0)
        var told: (world: LiveWorld, shown: [String]) = (world, [])
        query(&rows, world)
        _ = rows.takeDifferences()
        for _ in 0..<300 {
            var next = world
            for _ in 0..<generator.pick([1, 1, 1, 2, 5, 20]) {
                let version = LiveWorld.Version(
                    key: UInt8.random(in: 0...9, using: &generator), number: Int.random(in: 0...3, using: &generator))
                next.documents[generator.pick(ids)] = generator.chance(2, in: 5) ? nil : version
            }
            rows.apply(world.events(to: next, ids: ids))
            world = next
            if rows.mustQuery {
                query(&rows, world)
                queries += 1
            }
            #expect(rows.held == world.results.prefix(rows.held.count).map(\.position))
            guard generator.chance(2, in: 3) else { continue }
            let shown = (world: world, shown: world.shown(skip: skip, limit: limit))
            expect(rows.takeDifferences(), from: told, to: shown)
            #expect(rows.takeDifferences().isEmpty)
            told = shown
        }
        #expect((1..<250).contains(queries))
    }

    private func query(_ rows: inout LiveRows, _ world: LiveWorld) {
        let results = world.results
        let first = Array(results.prefix(rows.capacity ?? .max))
        rows.replace(first, end: first.count < results.count ? first.last?.position : nil)
    }
}
