//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AsyncHTTPClient
import GodwitJSON
import NIOCore

/// Design documents in JavaScript over the documents of the bulk workload.
extension BenchWorkloads {
    var views: [Workload] {
        [
            Workload(name: "view build, emit(route), _count", unit: "documents", count: stored) { _ in
                try await define("routes", map: "function(doc) { emit(doc.route % 20, 1) }", reduce: "_count")
            },
            Workload(name: "view build, three emits, JavaScript reduce", unit: "documents", count: stored) { _ in
                try await define(
                    "three",
                    map:
                        "function(doc) { emit(doc.route, doc.km); emit([doc.from, doc.route], 1); emit(doc._id, null) }",
                    reduce: "function(keys, values, again) { return sum(values.map(Number)) }")
            },
            Workload(name: "view grouped query, 1 client", unit: "queries", count: scaled(200)) { count in
                try await share(count, among: 1) { _ in try await view("routes", "group=true") }
            },
            Workload(name: "view range of 25 rows, 32 clients", unit: "queries", count: scaled(2_000)) { count in
                try await share(count, among: 32) { number in
                    try await view("routes", "reduce=false&startkey=\(number % 19)&limit=25")
                }
            },
            Workload(name: "view after 1 % changed", unit: "changed documents", count: changed) { count in
                try await change(count)
                try await view("routes", "")
            },
            Workload(name: "_changes filtered by a function", unit: "documents", count: stored) { _ in
                try await client.send("GET", "\(database)/_changes?filter=routes/none")
            },
            Workload(name: "_bulk_docs of 1000, validated", unit: "documents", count: scaled(20) * BenchWorkloads.batch)
            {
                count in
                let function = "function(doc) { if (doc.km < 0) throw({forbidden: 'km'}) }"
                try await put("_design/validation", ["validate_doc_update": .string(function)])
                try await bulk(count, prefix: "valid")
            },
        ]
    }

    private var changed: Int { max(1, stored / 100) }

    /// Creates a view and waits until a query can use it.
    private func define(_ name: String, map: String, reduce: String) async throws {
        try await put(
            "_design/\(name)",
            [
                "views": ["v": ["map": .string(map), "reduce": .string(reduce)]],
                "filters": ["none": "function(doc, req) { return doc.km < 0 }"],
            ])
        try await view(name, "limit=1")
    }

    private func view(_ name: String, _ query: String) async throws {
        try await client.send("GET", "\(database)/_design/\(name)/_view/v?\(query)")
    }

    private func put(_ path: String, _ body: JSONValue) async throws {
        try await client.send("PUT", "\(database)/\(path)", body: .bytes(ByteBuffer(bytes: body.jsonBytes())))
    }

    /// Writes new revisions of a number of documents.
    private func change(_ count: Int) async throws {
        let listed =
            try await client.json("\(database)/_all_docs?startkey=%22a%22&limit=\(count)")?.objectValue?["rows"]?
            .arrayValue ?? []
        let documents: [JSONValue] = listed.map { row in
            [
                "_id": row["id"] ?? .null, "_rev": row["value"]?["rev"] ?? .null, "type": "trip", "route": 7, "km": 1,
                "from": "Nome",
            ]
        }
        let body: JSONValue = ["docs": .array(documents)]
        try await client.send("POST", "\(database)/_bulk_docs", body: .bytes(ByteBuffer(bytes: body.jsonBytes())))
    }
}
