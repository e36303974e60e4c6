//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces
import Testing

@testable import GodwitStore
@testable import GodwitViews

@Suite("Geospatial indexes that functions make")
struct GeoFunctionTests {
    private static let world = GeoQuery(.boxes([.world]))

    private static let function = """
        function(doc) {
          if (doc.broken) throw new Error("no");
          (doc.stops || []).forEach(function (stop) { st_index({type: "Point", coordinates: stop}); });
          if (doc.odd) { st_index(doc.odd); st_index(undefined); }
        }
        """

    @Test("Each call is a geometry; what throws or is none is left out; edits, deletions and purges follow")
    func calls() async throws {
        try await withDatastore { store in
            _ = try await store.create(
                Document(id: "_design/d", body: ["st_indexes": ["i": ["index": .string(Self.function)]]]))
            func ids() async throws -> [String] {
                try await store.places(Self.world, index: "d/i").hits.map(\.document.id!)
            }
            _ = try await store.create(Document(id: "b", body: ["stops": [[1, 1], [2, 2]]]))
            var a = try await store.create(Document(id: "a", body: ["stops": [[1, 1]]]))
            _ = try await store.create(Document(id: "c", body: ["broken": true, "stops": [[1, 1]]]))
            _ = try await store.create(Document(id: "d", body: ["odd": "no geometry", "stops": [[3, 200]]]))
            #expect(try await ids() == ["a", "b", "b"])
            let information = try await store.geoInformation(of: GeoIndexName("d/i"))
            #expect((information.documents, information.geometries, information.skipped) == (2, 3, 3))
            let thrown = try #require(information.skippedDocuments.first { $0.id == "c" })
            #expect(thrown.count == 1 && thrown.reasons == ["the function threw: Error: no"])
            a.body["stops"] = [[4, 4], [0, 0]]
            a = try await store.update(a)
            #expect(try await ids() == ["a", "b", "b", "a"])
            _ = try await store.purge("b")
            #expect(try await ids() == ["a", "a"])
            _ = try await store.delete(a)
            #expect(try await ids() == [])
            #expect(try await store.check() == [])
        }
    }

    @Test("An index is shared by what it says, and goes when nobody says it any more")
    func sharing() async throws {
        try await withDatastore { store in
            let design: JSONObject = ["st_indexes": ["i": ["index": .string(Self.function)]]]
            let first = try await store.create(Document(id: "_design/a", body: design))
            _ = try await store.create(Document(id: "_design/b", body: design))
            func count() throws -> Int { try store.indexDescriptions().filter { $0.kind == functionIndexKind }.count }
            #expect(try count() == 1)
            _ = try await store.delete(first)
            try await store.removeUnwantedIndexes(of: functionIndexKind)
            #expect(try count() == 1)
            _ = try await store.delete("_design/b")
            try await store.removeUnwantedIndexes(of: functionIndexKind)
            #expect(try count() == 0)
        }
    }

    @Test("What a rule says of a document, the function says too", arguments: 0..<4)
    func rules(seed: UInt64) async throws {
        let rules = [
            "function(doc){if(doc.geometry&&doc.geometry.coordinates){st_index(doc.geometry);}}",
            "function(doc){if(doc.type=='place'&&doc.geometry){st_index(doc.geometry);}}",
            "function(doc){if(doc.type==='place'){st_index(doc.geometry);}}",
            "function(doc){st_index(doc['geometry']);}",
        ]
        let values: [JSONValue] = [
            .null, false, 0, "", "place", ["place"], [["place"]], ["place", "x"],
            ["type": "Point", "coordinates": [1, 2]],
            ["type": "Point"],
            ["type": "GeometryCollection", "geometries": [["type": "Point", "coordinates": [1, 2]]]],
            [["type": "Point", "coordinates": [1, 2]]], 1.5,
        ]
        try await withDatastore { store in
            let rule = rules[Int(seed)]
            #expect(GeoRule(function: rule) != nil)
            // A statement that a rule cannot express and that has no effect.
            let other = rule.replacing("){", with: "){var x = 1;")
            #expect(GeoRule(function: other) == nil)
            let indexes: JSONValue = ["rule": ["index": .string(rule)], "function": ["index": .string(other)]]
            _ = try await store.create(Document(id: "_design/d", body: ["st_indexes": indexes]))
            for (position, type) in values.enumerated() {
                for (other, geometry) in values.enumerated() {
                    _ = try await store.create(
                        Document(id: "\(position)-\(other)", body: ["type": type, "geometry": geometry]))
                }
                _ = try await store.create(Document(id: "\(position)", body: ["type": type]))
            }
            var query = Self.world
            query.limit = 200
            let byRule = try await store.places(query, index: "d/rule").hits.map(\.document.id!)
            #expect(try await store.places(query, index: "d/function").hits.map(\.document.id!) == byRule)
            #expect(!byRule.isEmpty)
        }
    }
}
