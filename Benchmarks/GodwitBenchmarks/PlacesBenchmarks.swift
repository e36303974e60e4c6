//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitPlaces
import GodwitQuery
import GodwitStore

/// Measures geospatial queries over random points in a square of 250 by 250 kilometres: sixteen in a square kilometre
/// for a million points.
struct PlacesBenchmarks {
    let count: Int

    init(count: Int) {
        self.count = count
        GeospatialQueries.enable()
    }

    private static let south = 48.0
    private static let west = 8.0
    private static let height = 2.25
    private static let width = 3.4
    /// The default of PostgreSQL's `shared_buffers`.
    private static let postgresCacheBytes = 128 << 20

    func run() async throws {
        try await measureWrites()
        try await runStored()
    }

    /// Measures indexing and queries of stored points.
    func runStored() async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path)
            let store = try await manager.datastore(named: "bench")
            _ = try await fill(store, count) { Self.scattered($0) }
            try await build(store)
            try await measureQueries(store, "")
            await manager.close()
            var limits = StoreLimits()
            limits.readerCacheBytes = Self.postgresCacheBytes
            let large = try DatastoreManager(directory: path, limits: limits)
            try await measureQueries(try await large.existingDatastore(named: "bench"), ", cache of 128 MB")
            await large.close()
        }
    }

    // MARK: Writing

    /// Returns a random position in the square.
    static func scattered(_ number: Int) -> (longitude: Double, latitude: Double) {
        (west + width * part(number, 0x9e37_79b9_7f4a_7c15), south + height * part(number, 0xbf58_476d_1ce4_e5b9))
    }

    /// Returns a pseudorandom number from 0 to 1.
    private static func part(_ number: Int, _ factor: UInt64) -> Double {
        var mixed = (UInt64(number) &+ 1) &* factor
        mixed = (mixed ^ (mixed >> 29)) &* 0x94d0_49bb_1331_11eb
        return Double((mixed ^ (mixed >> 32)) >> 11) / Double(1 << 53)
    }

    /// Returns the positions of a hundred concurrent journeys.
    static func onTrack(_ number: Int) -> (longitude: Double, latitude: Double) {
        let (track, step) = (number % 100, Double(number / 100))
        let start = scattered(track)
        return (start.longitude + step * 0.0001 + sin(step / 40) * 0.002, start.latitude + cos(step / 60) * 0.002)
    }

    static func document(_ number: Int, _ position: (longitude: Double, latitude: Double)) -> [UInt8] {
        let id = StoreBenchmarks.id(number)
        return Array(
            #"{"_id":"\#(id)","type":"Feature","geometry":{"type":"Point","coordinates":[\#(position.longitude),\#(position.latitude)]},"properties":{"number":\#(number),"note":"sixteen a square kilometre"}}"#
                .utf8)
    }

    private func fill(
        _ store: Datastore, _ count: Int, _ position: (Int) -> (longitude: Double, latitude: Double)
    ) async throws -> Double {
        var time = 0.0
        for start in stride(from: 0, to: count, by: 1_000) {
            let documents = try (start..<min(start + 1_000, count)).map { number in
                try IncomingDocument(parsing: Self.document(number, position(number)), purpose: .edit, limits: .default)
            }
            time += try await seconds { _ = try await store.writeEach(documents, isReplicated: false) }
        }
        return time
    }

    private func measureWrites() async throws {
        let count = min(count, 200_000)
        for (name, position) in [("scattered", Self.scattered), ("along tracks", Self.onTrack)] {
            var rates: [[Double]] = [[], []]
            for _ in 0..<3 {
                for hasIndex in [false, true] {
                    try await withDirectory { path in
                        let manager = try DatastoreManager(directory: path)
                        let store = try await manager.datastore(named: "bench")
                        if hasIndex { try await store.ensureGeoIndex() }
                        rates[hasIndex ? 1 : 0].append(Double(count) / (try await fill(store, count, position)))
                        await manager.close()
                    }
                }
            }
            let (plain, kept) = (median(rates[0]), median(rates[1]))
            report(
                "\(count) points \(name)",
                "\(text(plain))/s plain, \(text(kept))/s with the index: \(text(kept / plain * 100)) %")
        }
    }

    private func build(_ store: Datastore) async throws {
        let cpu = cpuSeconds
        let time = try await seconds {
            try await store.ensureGeoIndex()
            for index in try store.indexDescriptions() { _ = try await store.catchUp(index) }
        }
        report(
            "index of \(count) points",
            "\(text(time, 1)) s, \(text((cpuSeconds - cpu) / Double(count) * 1e6, 1)) µs of CPU a document")
    }

    // MARK: Queries

    private func measureQueries(_ store: Datastore, _ cache: String) async throws {
        let index = try await store.geoIndex(GeoIndexName(nil)).index
        for (name, queries) in try Self.queries(1_000) {
            try await measure("\(name), with documents\(cache)", queries) { try await store.places($0).hits.count }
            try await measure("\(name), ids and geometries\(cache)", queries) { query in
                try await store.geoRows(query, of: index) { found, _ -> (String, String, Double)? in
                    (found.position.storedID, try found.geometry.wellKnownText, found.position.metres)
                }.rows.count
            }
        }
    }

    private func measure(
        _ name: String, _ queries: [GeoQuery], _ run: (GeoQuery) async throws -> Int
    ) async throws {
        var times: [Double] = []
        var hits = 0
        for query in queries { times.append(try await seconds { hits += try await run(query) } * 1e3) }
        report(
            name,
            "median \(text(median(times), 3)) ms, p99 \(text(percentile(times, 0.99), 3)) ms, \(hits / queries.count) hits"
        )
    }

    static func queries(_ count: Int) throws -> [(String, [GeoQuery])] {
        let centers = (0..<count).map { number in
            let position = scattered(number + 7_000_000)
            return Position(longitude: position.longitude, latitude: position.latitude)
        }
        return [
            (
                "10 nearest",
                try centers.map { center in
                    var query = GeoQuery(try .circle(center: center, radius: 0), nearest: true)
                    query.limit = 10
                    return query
                }
            ),
            (
                "radius of 1 km",
                try centers.map { center in
                    var query = GeoQuery(try .circle(center: center, radius: 1_000))
                    query.limit = 200
                    return query
                }
            ),
            (
                "polygon of 1 000 corners",
                try centers.map { center in
                    var query = GeoQuery(.geometry(try star(center)))
                    query.limit = 200
                    return query
                }
            ),
        ]
    }

    private static func star(_ center: Position) throws -> Geometry {
        let positions = (0...1_000).map { number -> JSONValue in
            let angle = 2 * Double.pi * Double(number % 1_000) / 1_000
            let radius = number.isMultiple(of: 2) ? 0.014 : 0.012
            return [
                .double(center.longitude + radius * 1.5 * cos(angle)), .double(center.latitude + radius * sin(angle)),
            ]
        }
        return try Geometry(json: ["type": "Polygon", "coordinates": [.array(positions)]])
    }
}
