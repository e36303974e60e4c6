//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGeo
import GodwitJSON
import GodwitPlaces
import GodwitQuery
import GodwitSelector
import GodwitStore
import GodwitSync
import GodwitText
import GodwitTransport
import Testing

private struct Car: DocumentObject {
    var make: String
    var year: Int
}

@Suite("Queries, local and on a server")
struct QueryStoreTests {
    private func withCars(_ position: Place, _ body: @escaping @Sendable (any QueryStore) async throws -> Void)
        async throws
    {
        try await position.withStore { store, _ in
            guard let store = store as? any QueryStore else { throw StoreError(.notSupported, "no queries") }
            for (number, year) in [2006, 1994, 2011, 2001].enumerated() {
                _ = try await store.save(
                    Car(make: number.isMultiple(of: 2) ? "Toyota" : "Lada", year: year), id: "c\(number)")
            }
            try await body(store)
        }
    }

    @Test("Documents are found page by page, with selected members, in order", arguments: Place.allCases)
    func finding(_ position: Place) async throws {
        try await withCars(position) { store in
            try await store.ensureIndex(["year"], named: "year", where: nil)
            var query = FindQuery(selector: ["year": ["$gt": 2000]], sort: [.descending("year")], limit: 2)
            let first = try await store.find(query)
            query.bookmark = first.bookmark
            let second = try await store.find(query)
            #expect(first.documents.map(\.id) == ["c2", "c0"] && second.documents.map(\.id) == ["c3"])
            #expect(first.warning == nil && first.documents[0].revision != nil)
            query = FindQuery(selector: ["make": "Lada"], fields: ["_id", "year"])
            let parts = try await store.find(query)
            #expect(parts.documents.map(\.body) == [["year": 1994], ["year": 2001]])
            #expect(parts.documents.allSatisfy { $0.revision == nil } && parts.warning != nil)
        }
    }

    @Test("Conditions on Swift values find Swift values", arguments: Place.allCases)
    func values(_ position: Place) async throws {
        try await withCars(position) { store in
            let cars: [TypedDocument<Car>] = try await store.find(\.year > 2000 && \.make == "Toyota")
            #expect(cars.map(\.value.year).sorted() == [2006, 2011])
        }
    }

    @Test("Places are found by areas, the nearest first, page by page", arguments: Place.allCases)
    func places(_ position: Place) async throws {
        try await withCars(position) { store in
            guard let store = store as? any PlaceStore else { throw StoreError(.notSupported, "no places") }
            try await store.ensureGeoIndex(on: "at", named: "places")
            try await store.ensureGeoIndex(on: "at", named: "places")
            for (id, longitude) in [("x", 179.5), ("y", -179.91), ("z", 179.9)] {
                let point: JSONValue = ["type": "Point", "coordinates": [.double(longitude), 1]]
                _ = try await store.create(Document(id: id, body: ["at": point]))
            }
            let center = Position(longitude: 180, latitude: 1)
            let areas: [SearchArea] = [
                try .circle(center: center, radius: 100_000), try .box(corners: [179, 0, -179, 2], wraps: true),
                .ellipse(try Ellipse(center: center, rangeX: 100_000, rangeY: 500)),
                .geometry(try Geometry(wellKnownText: "LINESTRING(179 1, 180 1)")),
            ]
            for area in areas.dropLast() {
                var query = GeoQuery(area)
                query.limit = 2
                let first = try await store.places(query, index: nil)
                query.bookmark = first.bookmark
                let second = try await store.places(query, index: "places/places")
                #expect((first.hits + second.hits).map(\.document.id) == ["y", "z", "x"] && second.bookmark == nil)
                #expect(abs(first.hits[0].metres - 10_017) < 10)
            }
            let onLine = try await store.places(GeoQuery(areas[3], relation: .contains), index: "places")
            #expect(Set(onLine.hits.map { $0.document.id! }) == ["x", "z"])
            for name in ["none", "some/none"] {
                let error = await #expect(throws: StoreError.self) {
                    try await store.places(GeoQuery(areas[0]), index: name)
                }
                #expect(error?.code == .indexNotFound)
            }
        }
    }

    @Test("A limit above the maximum of a page still leads through all pages", arguments: Place.allCases)
    func largeLimit(_ position: Place) async throws {
        try await withCars(position) { store in
            guard let store = store as? any PlaceStore else { throw StoreError(.notSupported, "no places") }
            try await store.ensureGeoIndex(on: "at", named: "places")
            for number in 0...GeoLimits.hitsMax {
                let point: JSONValue = ["type": "Point", "coordinates": [.double(Double(number) / 100), 1]]
                _ = try await store.create(Document(id: "p\(number)", body: ["at": point]))
            }
            var query = GeoQuery(try .box(corners: [0, 0, 10, 2]))
            query.limit = 1_000
            var ids: Set<String> = []
            repeat {
                let page = try await store.places(query, index: "places")
                ids.formUnion(page.hits.map { $0.document.id! })
                query.bookmark = page.bookmark
            } while query.bookmark != nil
            #expect(ids.count == GeoLimits.hitsMax + 1)
        }
    }

    @Test("Creating an equal index returns the existing one, until another has its name", arguments: Place.allCases)
    func indexes(_ position: Place) async throws {
        try await withCars(position) { store in
            for _ in 0..<2 {
                try await store.ensureIndex(["make", "year"], named: "i", where: ["year": ["$gt": 2000]])
            }
            let indexes = try await store.indexes()
            #expect(indexes.map(\.name) == ["_all_docs", "i"] && indexes[1].fields == ["make", "year"])
            #expect(await code { _ = try await store.ensureIndex(["make"], named: "i", where: nil) } == .indexExists)
            #expect(await code { _ = try await store.ensureIndex([], named: nil, where: nil) } == .invalidRequest)
            try await store.deleteIndex("i", designDocument: nil)
            #expect(await code { try await store.deleteIndex("i", designDocument: nil) } == .indexNotFound)
        }
    }

    @Test("Invalid queries are refused with the same code", arguments: Place.allCases)
    func refused(_ position: Place) async throws {
        try await withCars(position) { store in
            for selector: JSONObject in [["a": ["$foo": 1]], ["a": ["$regex": "("]], ["$eq": 1], ["$text": "x"]] {
                #expect(await code { _ = try await store.find(FindQuery(selector: selector)) } == .invalidRequest)
            }
            let strange = FindQuery(selector: [:], bookmark: "strange")
            #expect(await code { _ = try await store.find(strange) } == .invalidRequest)
        }
    }

    @Test("Words are found page by page, the best first, with highlights", arguments: Place.allCases)
    func searching(_ position: Place) async throws {
        try await withCars(position) { store in
            let notes = ["rust and rust again", "no rust", "clean", "a little rust, a few dents and much else besides"]
            for (number, note) in notes.enumerated() {
                _ = try await store.create(Document(id: "n\(number)", body: ["note": .string(note)]))
            }
            for _ in 0..<2 {
                let made = try await store.ensureTextIndex(["note"], named: "words", analyzer: "standard", where: nil)
                #expect(made.kind == .text && made.name == "words")
            }
            let first = try await store.search(
                "rust", index: nil, limit: 2, bookmark: nil, highlighting: SearchHighlights(["note"]))
            #expect(first.total == 3 && first.hits.map(\.document.id) == ["n0", "n1"])
            #expect(
                first.hits[0].score > first.hits[1].score && first.hits[1].highlights == ["note": ["no <em>rust</em>"]])
            #expect(first.hits[0].document.revision != nil && first.hits[0].document.body["note"] == .string(notes[0]))
            let rest = try await store.search(
                "rust", index: "words/words", limit: 2, bookmark: first.bookmark, highlighting: nil)
            #expect(rest.hits.map(\.document.id) == ["n3"] && rest.bookmark == nil && rest.hits[0].highlights.isEmpty)
            let found = try await store.find(FindQuery(selector: ["$text": "dents"]))
            #expect(found.documents.map(\.id) == ["n3"])
        }
    }

    @Test("An invalid search is refused with the same code", arguments: Place.allCases)
    func refusedSearches(_ position: Place) async throws {
        try await withCars(position) { store in
            func search(_ text: String, _ index: String?, _ bookmark: String? = nil) async -> StoreError.Code? {
                await code {
                    _ = try await store.search(text, index: index, limit: 5, bookmark: bookmark, highlighting: nil)
                }
            }
            #expect(await search("x", nil) == .indexNotFound)
            try await store.ensureTextIndex(nil, named: "words", analyzer: "standard", where: nil)
            #expect(await search("x", "others") == .indexNotFound)
            #expect(await search("(x", "words") == .invalidRequest)
            #expect(await search("x", "words", "strange") == .invalidRequest)
            let other = await code {
                _ = try await store.ensureTextIndex(["make"], named: "words", analyzer: "standard", where: nil)
            }
            #expect(other == .indexExists)
            let analyzer = await code {
                _ = try await store.ensureTextIndex(nil, named: "a", analyzer: "no such", where: nil)
            }
            #expect(analyzer == .invalidRequest)
            try await store.deleteIndex("words", designDocument: nil)
            #expect(await search("x", "words") == .indexNotFound)
        }
    }
}
