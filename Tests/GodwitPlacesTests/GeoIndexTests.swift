//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces
import GodwitQuery
import GodwitSelector
import GodwitStore
import TestKit
import Testing

@Suite("Geospatial indexes")
struct GeoIndexTests {
    private static let world = GeoQuery(.boxes([.world]))

    @Test(
        "Edits, deletions, purges and lists of geometries: the index matches the documents",
        arguments: TestScale.seeds(2, of: 8))
    func randomChanges(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        try await withDatastore { store in
            if seed.isMultiple(of: 2) { try await store.ensureGeoIndex(on: "where.place", named: "w") }
            var all = BruteForce()
            var live: [String: Document] = [:]
            for round in 0..<300 {
                let id = "d\(Int.random(in: 0..<40, using: &random))"
                let body: JSONObject
                let geometries = (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.geometry(&random) }
                let value = geometries.count == 1 ? geometries[0] : .array(geometries)
                body = Bool.random(using: &random) || live[id] == nil ? ["where": ["place": value]] : live[id]!.body
                switch (Int.random(in: 0..<10, using: &random), live[id]) {
                case (0, let old?):
                    _ = try await store.delete(old)
                    live[id] = nil
                    try all.set([], of: id)
                case (1, .some):
                    _ = try await store.purge(id)
                    live[id] = nil
                    try all.set([], of: id)
                case (_, var old?):
                    let isKept = old.body == body
                    old.body = body
                    live[id] = try await store.update(old)
                    if !isKept { try all.set(geometries, of: id) }
                case (_, nil):
                    live[id] = try await store.create(Document(id: id, body: body))
                    try all.set(geometries, of: id)
                }
                if round == 150, !seed.isMultiple(of: 2) {
                    try await store.ensureGeoIndex(on: "where.place", named: "w")
                }
                guard round % 50 == 49, round > 150 || seed.isMultiple(of: 2) else { continue }
                for query in try Self.queries(&random) {
                    let expected = try all.hits(query)
                    for limit in [1, 3, 50] {
                        let hits = try await store.all(query, pageOf: limit)
                        #expect(hits == expected, "seed \(seed), round \(round), pages of \(limit)")
                    }
                }
            }
        }
    }

    @Test(
        "Batches of thousands of geometries, close, equal or large: the results and every node of the tree are right"
    )
    func manyAtATime() async throws {
        var random = SeededGenerator(seed: 5)
        let count = TestScale.isLong ? 1_000 : 500
        try await withDatastore { store in
            var all = BruteForce()
            for round in 0..<8 {
                if round == 5 { try await store.ensureGeoIndex() }
                let middle = Double.random(in: -170...170, using: &random)
                // The last rounds move the geometries of the first ones.
                let places = (0..<count).map { (id: "\(round % 6)-\($0)", geometry: Self.near(middle, &random)) }
                try await store.write { transaction in
                    for position in places {
                        let body: JSONObject = ["geometry": position.geometry]
                        guard var document = round < 6 ? nil : try transaction.document(position.id) else {
                            _ = try transaction.create(Document(id: position.id, body: body))
                            continue
                        }
                        document.body = body
                        _ = try transaction.update(document)
                    }
                }
                for position in places { try all.set([position.geometry], of: position.id) }
                #expect(try await store.treeFaults() == [], "round \(round)")
            }
            for query in try Self.queries(&random) {
                #expect(try await store.all(query) == all.hits(query))
            }
        }
    }

    private static func near(_ middle: Double, _ random: inout SeededGenerator) -> JSONValue {
        let (x, y) = (middle + .random(in: -2...2, using: &random), Double.random(in: -2...2, using: &random))
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return ["type": "Point", "coordinates": [.double(middle), 0]]
        case 1:
            let far: JSONValue = [.double(.random(in: -170...170, using: &random)), .double(-y * 40)]
            return ["type": "MultiPoint", "coordinates": [[.double(x), .double(y)], far]]
        default: return ["type": "Point", "coordinates": [.double(x), .double(y)]]
        }
    }

    private static func position(_ random: inout SeededGenerator) -> JSONValue {
        // Integers, so that distances are often equal.
        [.integer(.random(in: -180...180, using: &random)), .integer(.random(in: -90...90, using: &random))]
    }

    private static func geometry(_ random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return ["type": "LineString", "coordinates": [position(&random), position(&random)]]
        case 1: return ["type": "MultiPoint", "coordinates": [position(&random), position(&random)]]
        case 2:
            let (x, y) = (Int64.random(in: 160...179, using: &random), Int64.random(in: -80...70, using: &random))
            let corners: [[Int64]] = [[x, y], [x + 10, y], [x + 10, y + 9], [x, y + 9], [x, y]]
            let ring = corners.map { JSONValue.array([.integer($0[0] > 180 ? $0[0] - 360 : $0[0]), .integer($0[1])]) }
            return ["type": "Polygon", "coordinates": [.array(ring)]]
        case 3:
            return [["no geometry"], ["type": "Point", "coordinates": [200, 5]], 5, "POINT(1 1)"].randomElement(
                using: &random)!
        default: return ["type": "Point", "coordinates": position(&random)]
        }
    }

    private static func queries(_ random: inout SeededGenerator) throws -> [GeoQuery] {
        let (x, y) = (Double.random(in: -180...180, using: &random), Double.random(in: -90...90, using: &random))
        let circle = try SearchArea.circle(center: Position(longitude: x, latitude: y), radius: 4_000_000)
        return [
            world, try GeoQuery(.box(corners: [170, -90, -170, 90], wraps: true)), GeoQuery(circle),
            GeoQuery(circle, nearest: true), GeoQuery(circle, relation: .disjoint), GeoQuery(circle, relation: .covers),
        ]
    }

    @Test("An invalid geometry is left out, counted and reported; the rest of the document is indexed")
    func skipped() async throws {
        try await withDatastore { store in
            try await store.ensureGeoIndex(named: "g")
            let bad: JSONValue = ["type": "Point", "coordinates": [0, 95]]
            var document = try await store.create(
                Document(id: "a", body: ["geometry": [bad, ["type": "Point", "coordinates": [1, 2, 3]], bad]]))
            _ = try await store.create(Document(id: "b", body: ["geometry": .null, "x": 1]))
            let name = GeoIndexName("g")
            var information = try await store.geoInformation(of: name)
            #expect((information.documents, information.geometries, information.skipped) == (1, 1, 2))
            #expect(information.skippedDocuments.map(\.id) == ["a"])
            #expect(
                information.skippedDocuments[0].reasons == [
                    "outOfRange: a latitude must be within ±90, but this one is 95.0"
                ])
            #expect(
                try await store.places(Self.world).hits.map(\.geometry.json) == [
                    ["type": "Point", "coordinates": [1, 2, 3]]
                ])
            document.body["geometry"] = .null
            document = try await store.update(document)
            information = try await store.geoInformation(of: name)
            #expect((information.documents, information.geometries, information.skipped) == (0, 0, 0))
        }
    }

    @Test("The index of a function's rule serves its own query, and no Mango query")
    func functionRule() async throws {
        try await withDatastore { store in
            let function = "function(doc){if(doc.type=='place'&&doc.geometry.coordinates){st_index(doc.geometry);}}"
            _ = try await store.create(
                Document(id: "_design/d", body: ["st_indexes": ["i": ["index": .string(function)]]]))
            let point: JSONValue = ["type": "Point", "coordinates": [1, 1]]
            for (id, type) in [("a", "place"), ("b", "other")] as [(String, JSONValue)] {
                _ = try await store.create(Document(id: id, body: ["type": type, "geometry": point]))
            }
            _ = try await store.create(Document(id: "c", body: ["type": ["place"], "geometry": point]))
            #expect(try await store.places(Self.world, index: "d/i").hits.map(\.document.id!) == ["a", "c"])
            let near: JSONObject = ["geometry": ["$near": ["$geometry": "POINT(1 1)", "$maxDistance": 5]]]
            await #expect(throws: StoreError.self) { for try await _ in store.find(near) {} }
        }
    }

    @Test("A geospatial query is observed: places that enter, move and leave, the nearest first")
    func observed() async throws {
        try await withDatastore { store in
            try await store.ensureGeoIndex()
            func point(_ x: Double) -> JSONObject { ["geometry": ["type": "Point", "coordinates": [.double(x), 0]]] }
            var b = try await store.create(Document(id: "b", body: point(0.02)))
            _ = try await store.create(Document(id: "far", body: point(5)))
            let near: JSONObject = ["geometry": ["$near": ["$geometry": "POINT(0 0)", "$maxDistance": 10_000]]]
            var results = store.observe(near).makeAsyncIterator()
            func next() async throws -> [String]? { try await results.next()?.documents.map { $0.id! } }
            #expect(try await next() == ["b"])
            _ = try await store.create(Document(id: "a", body: point(0.03)))
            #expect(try await next() == ["b", "a"])
            b.body = point(0.04)
            b = try await store.update(b)
            #expect(try await next() == ["a", "b"])
            b.body = point(3)
            b = try await store.update(b)
            #expect(try await next() == ["a"])
        }
    }

    @Test(
        "A document with several geometries is sorted by the nearest one that matches $near, also in live queries"
    )
    func leastDistance() async throws {
        try await withDatastore { store in
            try await store.ensureGeoIndex()
            func points(_ longitudes: Double...) -> JSONObject {
                ["geometry": .array(longitudes.map { ["type": "Point", "coordinates": [.double($0), 0]] })]
            }
            _ = try await store.create(Document(id: "a", body: points(0.1, 3)))
            _ = try await store.create(Document(id: "b", body: points(2)))
            let near: JSONObject = [
                "geometry": [
                    "$near": ["$geometry": "POINT(0 0)", "$minDistance": 100_000, "$maxDistance": 400_000]
                ]
            ]
            #expect(try await store.find(FindQuery(selector: near)).documents.map(\.id) == ["b", "a"])
            var live = store.observe(near).makeAsyncIterator()
            #expect(try await live.next()?.documents.map(\.id) == ["b", "a"])
        }
    }

    @Test("All changes of an area are found, also if documents have thousands of geometries there")
    func changesOfManyGeometries() async throws {
        try await withDatastore { store in
            let points = (0..<4_000).map { number -> JSONValue in
                ["type": "Point", "coordinates": [.double(1 + Double(number) * 1e-7), 1]]
            }
            try await store.transact { transaction in
                for number in 0..<26 {
                    _ = try transaction.create(Document(id: "many-\(number)", body: ["geometry": .array(points)]))
                }
                for number in 0..<20 {
                    let point: JSONValue = [
                        "type": "Point", "coordinates": [1.01, .double(1 + Double(number) * 1e-4)],
                    ]
                    _ = try transaction.create(Document(id: "one-\(number)", body: ["geometry": point]))
                }
                for number in 0..<6_000 { _ = try transaction.create(Document(id: "other-\(number)", body: [:])) }
            }
            try await store.ensureGeoIndex()
            try await store.catchUpAll()
            let circle: JSONValue = ["$circle": ["center": [1, 1], "radius": 10_000]]
            let selector = try Selector(parsing: ["geometry": ["$geoIntersects": circle]])
            let found = try #require(try store.changeCandidates(for: selector, after: 0))
            #expect(found.sequences.count >= 46)
        }
    }

    @Test("Indexes are listed, created only once, and deleted")
    func definitions() async throws {
        try await withDatastore { store in
            let index = try await store.ensureGeoIndex(on: "at", named: "places")
            #expect((index.kind, index.name, index.designDocument) == (.geo, "places", "places"))
            #expect(index.definition == ["geometry": "at"])
            try await store.ensureGeoIndex(on: "at", named: "places")
            await #expect(throws: StoreError.self) { try await store.ensureGeoIndex(on: "other", named: "places") }
            #expect(try store.indexes().map(\.kind) == [.special, .geo])
            try await store.deleteIndex("places")
            #expect(try store.indexes().map(\.kind) == [.special])
            await #expect(throws: StoreError.self) { try await store.places(Self.world) }
        }
    }
}
