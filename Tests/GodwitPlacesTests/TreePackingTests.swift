//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitSQLite
import GodwitStore
import TestKit
import Testing

@testable import GodwitPlaces

@Suite("Packed trees")
struct TreePackingTests {
    /// Writes documents with points, and some with lines across the antimeridian, which have two boxes.
    private static func fill(_ store: Datastore, _ count: Int, _ random: inout SeededGenerator) async throws
        -> BruteForce
    {
        var all = BruteForce()
        let places = (0..<count).map { number -> (id: String, geometry: JSONValue) in
            let (x, y) = (Double.random(in: -179...179, using: &random), Double.random(in: -80...80, using: &random))
            let isLine = number.isMultiple(of: 100)
            let line: JSONValue = ["type": "LineString", "coordinates": [[179, .double(y)], [-179, .double(y + 1)]]]
            return ("d\(number)", isLine ? line : ["type": "Point", "coordinates": [.double(x), .double(y)]])
        }
        try await store.write { transaction in
            for position in places {
                _ = try transaction.create(Document(id: position.id, body: ["geometry": position.geometry]))
            }
        }
        for position in places { try all.set([position.geometry], of: position.id) }
        return all
    }

    private static func expectSame(_ store: Datastore, _ all: BruteForce, _ random: inout SeededGenerator) async throws
    {
        for _ in 0..<5 {
            let (x, y) = (Double.random(in: -180...180, using: &random), Double.random(in: -90...90, using: &random))
            let circle = try SearchArea.circle(center: Position(longitude: x, latitude: y), radius: 2_000_000)
            #expect(try await store.all(GeoQuery(circle)) == all.hits(GeoQuery(circle)))
        }
        #expect(try await store.all(GeoQuery(.boxes([.world]))) == all.hits(GeoQuery(.boxes([.world]))))
    }

    /// One leaf that is not full, full, or overfull; a root over leaves that is not full, full, or overfull; three
    /// levels.
    @Test(
        "A packed tree of any size is valid for SQLite, finds everything, and supports later changes",
        arguments: [0, 1, 51, 52, 92, 2_350])
    func sizes(count: Int) async throws {
        var random = SeededGenerator(seed: UInt64(count))
        try await withDatastore { store in
            var all = try await Self.fill(store, count, &random)
            try await store.ensureGeoIndex()
            #expect(try await store.treeFaults() == [])
            try await Self.expectSame(store, all, &random)
            for number in stride(from: 0, to: count, by: 7) {
                _ = try await store.delete(store.document("d\(number)"))
                try all.set([], of: "d\(number)")
            }
            for number in 0..<60 {
                let point: JSONValue = ["type": "Point", "coordinates": [.double(Double(number) / 100), 5]]
                _ = try await store.create(Document(id: "new\(number)", body: ["geometry": point]))
                try all.set([point], of: "new\(number)")
            }
            try await Self.expectSame(store, all, &random)
        }
    }

    @Test("Entries that are sorted in several runs come in the order of the curve, without loss or duplicates")
    func runs() async throws {
        var random = SeededGenerator(seed: 3)
        try await withDatastore { store in
            let cells = (0..<1_000).map { number in
                let box = BoundingBox(
                    west: .random(in: -180...0, using: &random), south: .random(in: -90...0, using: &random), east: 1,
                    north: 1)
                return CurveCell(BoxCell(entry: Int64(number), box))
            }
            try await store.ensureGeoIndex()
            let index = try #require(try store.indexDescriptions().first)
            let merged = try await IndexedDatabase(store).write(index) { connection in
                var runs = CurveRuns(table: "some_runs", cellsMax: 300, cellsPerPieceMax: 70)
                try runs.create(on: connection)
                for start in stride(from: 0, to: cells.count, by: 100) {
                    runs.add(Array(cells[start..<start + 100]))
                    guard runs.isFull else { continue }
                    runs.sort()
                    try runs.store(on: connection)
                    runs.wasStored()
                }
                runs.sort()
                #expect(runs.stored == [300, 300, 300] && runs.count == 1_000)
                var (merge, merged) = (CurveMerge(runs), [CurveCell]())
                while case let next = try merge.next(33, on: connection), !next.isEmpty { merged += next }
                try runs.remove(on: connection)
                return merged.map { [$0.key, UInt64($0.number)] }
            }
            let sorted = cells.sorted { $0.key < $1.key }.map { [$0.key, UInt64($0.number)] }
            #expect(merged == sorted)
        }
    }

    @Test("Neighbours on the curve are neighbours on the map")
    func curve() {
        let side = 64
        var cells: [(key: UInt64, x: Int, y: Int)] = []
        for x in 0..<side {
            for y in 0..<side {
                let (longitude, latitude) = (
                    (Double(x) + 0.5) / Double(side) * 360 - 180, (Double(y) + 0.5) / Double(side) * 180 - 90
                )
                let box = BoundingBox(west: longitude, south: latitude, east: longitude, north: latitude)
                cells.append((CurveCell(BoxCell(entry: 1, box)).key, x, y))
            }
        }
        cells.sort { $0.key < $1.key }
        #expect(zip(cells, cells.dropFirst()).allSatisfy { abs($0.x - $1.x) + abs($0.y - $1.y) == 1 })
    }

    @Test(
        "A tree whose packing was interrupted is packed again, also with more entries than one run",
        arguments: [40, 10_000])
    func cut(cellsSortedMax: Int) async throws {
        var random = SeededGenerator(seed: 9)
        try await withDatastore { store in
            let all = try await Self.fill(store, 1_200, &random)
            try await store.ensureGeoIndex()
            try await store.catchUpAll()
            let index = try #require(try store.indexDescriptions().first)
            let database = IndexedDatabase(store)
            // The state after a crash before the root is written: nodes, parents and entries of a tree without a root.
            _ = try await database.write(index) { connection in
                let root = BoxNode.bytes(of: [], levels: 0, count: 1_228)
                try NodeWriter(GeoTables.boxes(of: index.number), on: connection).add(BoxNode.root, root)
                try CurveRuns(table: GeoTables.runs(of: GeoTables.boxes(of: index.number))).create(on: connection)
            }
            #expect(try database.read { try TreePacking.isWanted(index, on: $0) })
            try await TreePacking(index, in: database, cellsSortedMax: cellsSortedMax).run()
            #expect(try !database.read { try TreePacking.isWanted(index, on: $0) })
            #expect(try await store.treeFaults() == [])
            try await Self.expectSame(store, all, &random)
        }
    }

    @Test("An index that is built during writes, edits and deletions matches the documents")
    func writersBeside() async throws {
        var random = SeededGenerator(seed: 11)
        try await withDatastore { store in
            var all = try await Self.fill(store, 6_000, &random)
            try await store.ensureGeoIndex()
            async let built: Void = store.catchUpAll()
            for number in 0..<300 {
                let point: JSONValue = ["type": "Point", "coordinates": [.double(Double(number) / 10), 7]]
                var document = try store.document("d\(number)")
                document.body["geometry"] = point
                _ = try await store.update(document)
                try all.set([point], of: "d\(number)")
                _ = try await store.delete(store.document("d\(number + 1_000)"))
                try all.set([], of: "d\(number + 1_000)")
            }
            try await built
            #expect(try await store.treeFaults() == [])
            try await Self.expectSame(store, all, &random)
        }
    }
}
