//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces
import GodwitQuery
import GodwitStore
import GodwitSync
import GodwitTransport
import TestKit
import Testing

@testable import GodwitGeo

@Suite("A region that follows the user")
struct RegionFollowerTests {
    private static func position(_ id: String, _ longitude: Double, _ latitude: Double) -> Document {
        let point: JSONValue = ["type": "Point", "coordinates": [.double(longitude), .double(latitude)]]
        return Document(id: id, body: ["geometry": point])
    }

    private static func ids(_ store: Datastore) async throws -> Set<String> {
        var ids: Set<String> = []
        for try await document in store.find(["geometry.coordinates.0": ["$gt": 1]], fields: ["_id"]) {
            ids.insert(document.id!)
        }
        return ids
    }

    private static func localCount(_ store: Datastore) throws -> Int {
        try store.read { try $0.locals(in: IDRange(), descending: false).count }
    }

    @Test("Documents within the radius exist after each step, and offline queries find them", arguments: [false, true])
    func following(isIndexed: Bool) async throws {
        try await withManager { manager in
            let server = try await manager.datastore(named: "server")
            let phone = try await manager.datastore(named: "phone")
            if isIndexed { try await server.ensureGeoIndex() }
            try await phone.ensureGeoIndex()
            // One position about every kilometer, on a path of 100 km and on six paths parallel to it.
            try await server.transact { transaction in
                for step in 0..<100 {
                    for side in -3...3 {
                        _ = try transaction.create(
                            Self.position("p\(step)/\(side)", 13 + Double(step) * 0.0146, 52 + Double(side) * 0.01))
                    }
                }
            }
            let follower = RegionFollower(phone, from: LocalEndpoint(server), radius: 3_000)
            var pulls = 0
            for tenth in stride(from: 0, to: 300, by: 1) {
                let here = Position(longitude: 13 + Double(tenth) * 0.00146, latitude: 52)
                if try await follower.move(to: here) != nil { pulls += 1 }
                guard tenth % 30 == 0 else { continue }
                var query = GeoQuery(try .circle(center: here, radius: 3_000))
                query.limit = 200
                let (there, known) = (try await phone.places(query, index: nil), try await Self.server(server, query))
                #expect(there.hits.map(\.document.id) == known)
                #expect(known.count > 10)
            }
            #expect(pulls > 10 && pulls < 60)
            #expect(try await Self.ids(phone).count < 400)
            // Back at the start of the path: no document is replicated twice.
            #expect(try await follower.move(to: Position(longitude: 13, latitude: 52))?.counts.documentsWritten == 0)
        }
    }

    private static func server(_ server: Datastore, _ query: GeoQuery) async throws -> [String?] {
        if try server.indexes().contains(where: { $0.kind == .geo }) {
            return try await server.places(query).hits.map(\.document.id)
        }
        try await server.ensureGeoIndex()
        return try await server.places(query).hits.map(\.document.id)
    }

    @Test(
        "Documents outside are purged if requested, except local changes; returning ones are pulled")
    func purging() async throws {
        try await withManager { manager in
            let server = try await manager.datastore(named: "server")
            let phone = try await manager.datastore(named: "phone")
            for (number, longitude) in [13.0, 13.001, 13.5, 14].enumerated() {
                _ = try await server.create(Self.position("p\(number)", longitude, 52))
            }
            _ = try await phone.create(Document(id: "note", body: ["text": "mine"]))
            for store in [server, phone] {
                _ = try await store.create(Document(id: "nowhere", body: ["geometry": .null]))
                _ = try await store.create(
                    Document(id: "north", body: ["geometry": ["type": "Point", "coordinates": [0, 95]]]))
            }
            let follower = RegionFollower(phone, from: LocalEndpoint(server), radius: 5_000, left: .purged)
            #expect(try await follower.refresh() == nil)
            try await follower.move(to: Position(longitude: 13, latitude: 52))
            #expect(try await Self.ids(phone) == ["p0", "p1"])
            var changed = try phone.document("p1")
            changed.body["note"] = "seen"
            _ = try await phone.update(changed)
            try await follower.move(to: Position(longitude: 13.5, latitude: 52))
            #expect(try await Self.ids(phone) == ["p1", "p2"])
            #expect(try phone.document("note").body["text"] == "mine")
            #expect(try phone.document("nowhere").id != nil && phone.document("north").id != nil)
            _ = try await server.create(Self.position("p9", 13.501, 52))
            try await follower.refresh()
            #expect(try await Self.ids(phone) == ["p1", "p2", "p9"])
            // Simulates a restart of the app.
            let next = RegionFollower(phone, from: LocalEndpoint(server), radius: 5_000, left: .purged)
            try await next.move(to: Position(longitude: 13, latitude: 52))
            #expect(try await Self.ids(phone) == ["p0", "p1"])
            try await next.move(to: Position(longitude: 13.5, latitude: 52))
            #expect(try await Self.ids(phone) == ["p1", "p2", "p9"])
        }
    }

    @Test(
        "issue 55, 2: of documents with several leaves, those come that have a leaf in the region, with this leaf",
        arguments: [false, true], 0..<4)
    func leaves(isIndexed: Bool, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        try await withManager { manager in
            let server = try await manager.datastore(named: "server")
            let phone = try await manager.datastore(named: "phone")
            if isIndexed { try await server.ensureGeoIndex() }
            var inside: [String: Set<String>] = [:]
            for number in 0..<100 {
                for leaf in 0..<Int.random(in: 1...3, using: &random) {
                    let isInside = Bool.random(using: &random)
                    let revision = "\(Int.random(in: 1...3, using: &random))-\(leaf)"
                    try await server.graft(
                        """
                        {"_id":"p\(number)","_rev":"\(revision)",
                        "geometry":{"type":"Point","coordinates":[\(isInside ? 13 : 15),52]}}
                        """)
                    if isInside { inside["p\(number)", default: []].insert(revision) }
                }
            }
            let follower = RegionFollower(phone, from: LocalEndpoint(server), radius: 5_000)
            try await follower.move(to: Position(longitude: 13, latitude: 52))
            // A document that is here has all its leaves, so that it is seen when it leaves the region.
            for number in 0..<100 {
                let leaves = try phone.read { try $0.row(id: "p\(number)") }?.leaves.map(\.revision.description)
                #expect((leaves != nil) == (inside["p\(number)"] != nil))
                #expect(inside["p\(number)"]?.isSubset(of: leaves ?? []) != false)
            }
        }
    }

    @Test(
        "Documents that move out, change or are deleted on the server do so locally",
        arguments: [false, true])
    func movedAway(isPurged: Bool) async throws {
        try await withManager { manager in
            let server = try await manager.datastore(named: "server")
            let phone = try await manager.datastore(named: "phone")
            try await phone.ensureGeoIndex()
            for number in 0..<1_200 {
                _ = try await server.create(Self.position("p\(number)", 13 + Double(number) * 1e-6, 52))
            }
            try await withServer(of: manager) { address in
                let remote = RemoteEndpoint(
                    try RemoteURL("\(address)/server"), credentials: .basic(user: "admin", password: "secret"))
                let follower = RegionFollower(
                    phone, from: remote, radius: 5_000, left: isPurged ? .purged : .kept)
                try await follower.move(to: Position(longitude: 13, latitude: 52))
                #expect(try phone.documentCount == 1_201)
                // A change on this device that the server does not have.
                var ours = try phone.document("p5")
                ours.body["note"] = "mine"
                _ = try await phone.update(ours)
                let away: JSONValue = ["type": "Point", "coordinates": [15, 52]]
                for id in ["p3", "p5", "p1199"] {
                    var document = try server.document(id)
                    document.body["geometry"] = away
                    _ = try await server.update(document)
                }
                _ = try await server.delete(server.document("p4"))
                var nowhere = try server.document("p6")
                nowhere.body["geometry"] = nil
                _ = try await server.update(nowhere)
                try await follower.refresh()
                let gone = isPurged ? ["p3", "p4", "p1199"] : ["p4"]
                for id in gone { #expect(throws: StoreError.self, "\(id)") { try phone.document(id) } }
                if !isPurged {
                    for id in ["p3", "p1199"] { #expect(try phone.document(id).body["geometry"] == away, "\(id)") }
                }
                #expect(try phone.document("p6").body["geometry"] == nil)
                // Both leaves are here, and no local change is lost.
                #expect(try phone.read { try $0.row(id: "p5") }?.leaves.count == 2)
                // Without changes, a refresh writes nothing here and nothing at the server.
                let (before, there) = (phone.updateSequence, try Self.localCount(server))
                try await follower.refresh()
                #expect(try phone.updateSequence == before && Self.localCount(server) == there)
                // In another region, the documents that remained are still updated.
                try await follower.move(to: Position(longitude: 14, latitude: 52))
                var later = try server.document("p7")
                later.body["name"] = "new"
                _ = try await server.update(later)
                try await follower.refresh()
                if !isPurged { #expect(try phone.document("p7").body["name"] == "new") }
            }
        }
    }

    @Test("No position in a cell is farther from its middle than the cell's width")
    func cells() throws {
        for latitude in stride(from: -90.0, through: 90, by: 7.3) {
            for longitude in stride(from: -180.0, through: 180, by: 11.7) {
                for width in [100.0, 2_500, 400_000, 30_000_000] {
                    let position = Position(longitude: longitude, latitude: latitude)
                    let middle = RegionFollower.middle(of: position, metres: width)
                    #expect(Geodesic.metres(from: position, to: middle) <= width)
                    #expect(RegionFollower.middle(of: middle, metres: width) == middle)
                }
            }
        }
    }
}
