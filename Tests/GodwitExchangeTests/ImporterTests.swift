//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitExchange
import GodwitJSON
import GodwitStore
import Testing

@Suite("Imports and exports")
struct ImporterTests {
    private func withStore(_ body: (Datastore) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "godwit-exchange-" + UUID().uuidString
        let manager = try DatastoreManager(directory: path, indexes: [])
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(try await manager.datastore(named: "db"))
        await manager.close()
    }

    private func window(_ text: String) throws -> FileWindow {
        var rest = [Array(text.utf8)]
        return try FileWindow { rest.popLast() ?? [] }
    }

    private func run(
        _ lines: [String], into store: Datastore, _ policy: ConflictPolicy = .skip
    ) async throws -> ImportReport {
        var importer = Importer(into: store, onConflict: policy)
        return try await importer.run(LineReader(try window(lines.joined(separator: "\n"))))
    }

    private func text(_ store: Datastore, _ format: ExchangeFormat, attachments: Bool = false) async throws -> String {
        var bytes: [UInt8] = []
        var exporter = Exporter(from: store, as: format, includesAttachments: attachments) { bytes += $0 }
        _ = try await exporter.run()
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("A document without an id gets the same id each time, for any order of its members")
    func derivedIDs() async throws {
        try await withStore { store in
            let first = try await run([#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, #"{"a":1.0,"b":3}"#], into: store)
            #expect(
                (first.writtenCount, first.repeatedCount, first.skippedCount) == (2, 0, 1) || first.repeatedCount == 1)
            let again = try await run([#"{"b":2, "a":1}"#], into: store)
            #expect((again.writtenCount, again.skippedCount, again.derivedCount) == (0, 1, 1))
            #expect(try store.documentCount == 2)
            // The derivation of the id can never change: a later import of the same file would create duplicates.
            _ = try store.document("43258cff783fe7036d8a43033f830adf")
        }
    }

    @Test("The requested policy decides about existing documents")
    func policies() async throws {
        try await withStore { store in
            _ = try await run([#"{"_id":"a","n":1}"#, #"{"_id":"b","n":1}"#], into: store)
            let lines = [#"{"_id":"a","n":1}"#, #"{"_id":"b","n":2}"#, #"{"_id":"c","n":2}"#]
            let skipped = try await run(lines, into: store, .skip)
            #expect((skipped.writtenCount, skipped.skippedCount, skipped.isComplete) == (1, 2, true))
            #expect(try store.document("b").body["n"] == 1)
            let failed = try await run(lines, into: store, .fail)
            #expect((failed.failedCount, failed.isComplete) == (3, false))
            #expect(failed.failures.map(\.line) == [1, 2, 3] && failed.failures.map(\.id) == ["a", "b", "c"])
            let replaced = try await run(lines, into: store, .replace)
            #expect((replaced.replacedCount, replaced.skippedCount, replaced.isComplete) == (1, 2, true))
            #expect(try store.document("b").body["n"] == 2)
            #expect(try store.document("a").revision?.generation == 1)
        }
    }

    @Test(
        "The second of two records with the same id is a failure, unless both are equal",
        arguments: ConflictPolicy.allCases)
    func twice(_ policy: ConflictPolicy) async throws {
        try await withStore { store in
            let lines = [#"{"_id":"-99","n":1}"#, #"{"_id":"-99","n":1}"#, #"{"_id":"-99","n":2}"#]
            let report = try await run(lines, into: store, policy)
            #expect((report.writtenCount, report.repeatedCount, report.failedCount) == (1, 1, 1))
            #expect(report.failures.map(\.line) == [3])
            #expect(try store.document("-99").body["n"] == 1)
        }
    }

    @Test("Documents that the store refuses are reported, and the others are imported")
    func refused() async throws {
        try await withStore { store in
            let lines = [
                #"{"_id":"_a"}"#, #"{"_id":""}"#, #"{"_x":1}"#, #"{"_id":"b"}"#, "{",
                #"{"_id":"\#(String(repeating: "x", count: 8_000))"}"#,
            ]
            let report = try await run(lines, into: store)
            #expect((report.readCount, report.writtenCount, report.failedCount) == (6, 1, 5))
            #expect(report.failures.map(\.line).sorted() == [1, 2, 3, 5, 6])
        }
    }

    @Test("Beyond a limit, failures are counted but not stored")
    func manyFailures() async throws {
        try await withStore { store in
            let count = ExchangeLimits.failuresListedMax + 7
            let report = try await run(Array(repeating: "{", count: count), into: store)
            #expect(report.failedCount == count && report.failures.count == ExchangeLimits.failuresListedMax)
        }
    }

    @Test(
        "In a file of places, invalid coordinates are left out, reported and counted",
        arguments: [
            ExchangeFormat.geojson, .csv,
        ])
    func badGeometries(format: ExchangeFormat) async throws {
        try await withStore { store in
            let geometries: [(String, JSONValue)] = [
                ("good", ["type": "Point", "coordinates": [1, 2]]),
                ("text", ["type": "Point", "coordinates": ["a", 1]]),
                ("short", ["type": "Point", "coordinates": [1]]),
                ("north", ["type": "Point", "coordinates": [0, 95]]),
                ("null", .null), ("other", ["type": "Circle"]),
            ]
            for (id, geometry) in geometries {
                _ = try await store.create(Document(id: id, body: ["geometry": geometry]))
            }
            var bytes: [UInt8] = []
            var exporter = Exporter(from: store, as: format) { bytes += $0 }
            let report = try await exporter.run()
            #expect(report.bad.map(\.id) == ["north", "short", "text"] && report.badCount == 3 && !report.isComplete)
            #expect((report.writtenCount, report.leftOutCount) == (format == .csv ? (3, 0) : (1, 2)))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("good") && !["north", "short", "text"].contains { text.contains($0) })
        }
    }

    @Test("After an error in the middle, the records before it are stored, and its line is reported")
    func stopped() async throws {
        try await withStore { store in
            var importer = Importer(into: store)
            let report = try await importer.run(
                FeatureReader(try window("{\"features\":[{\"type\":\"Feature\",\"id\":1},\n{\"ty")))
            #expect((report.writtenCount, report.isComplete) == (1, false))
            #expect(report.stopReason?.hasPrefix("line 2") == true || report.failedCount == 1)
        }
    }

    @Test("An error of the progress callback ends the import and is thrown, also between batches")
    func progressFails() async throws {
        struct Closed: Error {}
        try await withStore { store in
            let lines = (0..<3 * ExchangeLimits.batchDocumentsMax).map { #"{"_id":"\#($0)"}"# }
            var importer = Importer(into: store) { _ in throw Closed() }
            await #expect(throws: Closed.self) {
                try await importer.run(LineReader(try window(lines.joined(separator: "\n"))))
            }
            let count = try store.info().documentCount
            #expect(count == ExchangeLimits.batchDocumentsMax)
        }
    }

    @Test("JSON Lines survive a round trip with attachments, over many pages")
    func lines() async throws {
        try await withStore { store in
            var lines = (0..<1_200).map {
                #"{"_id":"\#(10_000 + $0)","n":\#($0),"t":"\#(String(repeating: "é", count: $0))"}"#
            }
            let digits = Data((0..<1_000_001).map { UInt8(truncatingIfNeeded: $0 &* 7) }).base64EncodedString()
            lines.append(
                #"{"_id":"x","_attachments":{"a/b":{"content_type":"text/plain","data":"YWI="},"c":{"content_type":"image/png","data":"\#(digits)"}}}"#
            )
            lines.append(#"{"_id":"y"}"#)
            let report = try await run(lines, into: store)
            #expect(report.writtenCount == lines.count)
            #expect(try await text(store, .jsonl, attachments: true) == lines.joined(separator: "\n") + "\n")
            #expect(try await text(store, .jsonl).hasSuffix("{\"_id\":\"x\"}\n{\"_id\":\"y\"}\n"))
        }
    }

    @Test("Features survive a round trip; other documents with a geometry become features")
    func features() async throws {
        try await withStore { store in
            let point = #"{"type":"Point","coordinates":[1.5,2]}"#
            _ = try await run(
                [
                    #"{"_id":"a","type":"Feature","properties":{"n":1},"geometry":\#(point),"at":5}"#,
                    #"{"_id":"b","kind":"museum","geometry":\#(point)}"#, #"{"_id":"c","n":1}"#,
                    #"{"_id":"d","geometry":{"type":"Circle","coordinates":[]}}"#, #"{"_id":"e","geometry":null}"#,
                    #"{"_id":"_design/x"}"#,
                ], into: store)
            let text = try await text(store, .geojson)
            #expect(
                text == """
                    {"type":"FeatureCollection","features":[
                    {"type":"Feature","id":"a","geometry":\(point),"properties":{"n":1},"at":5},
                    {"type":"Feature","id":"b","geometry":\(point),"properties":{"kind":"museum"}}
                    ]}

                    """)
            try await withStore { (other: Datastore) async throws -> Void in
                var importer = Importer(into: other)
                #expect(try await importer.run(FeatureReader(try window(text))).writtenCount == 2)
                #expect(try other.document("a").body == store.document("a").body)
                #expect(try await self.text(other, .geojson) == text)
            }
        }
    }

    @Test("A table survives a round trip")
    func tables() async throws {
        let table = """
            _id,latitude,longitude,name,n,nested\r
            a,2.5,-1.0,"x, ""y""\nz",5,\r
            b,2.0,1.0,"007",-0.5,"{""a"":[1,2]}"\r
            c,,,"5",,\r

            """
        try await withStore { store in
            var importer = Importer(into: store)
            let report = try await importer.run(CSVReader(try window(table)))
            #expect(report.writtenCount == 3)
            #expect(try await text(store, .csv).replacing("007,", with: "\"007\",") == table)
            #expect(try store.document("c").body["properties"]?["name"] == "5")
        }
    }
}
