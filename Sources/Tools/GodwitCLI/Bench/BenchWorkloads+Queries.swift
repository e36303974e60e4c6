//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AsyncHTTPClient
import GodwitJSON
import NIOCore

/// Mango queries over the documents of the bulk workload.
extension BenchWorkloads {
    var queries: [Workload] {
        [
            Workload(name: "index build", unit: "documents", count: stored) { _ in try await index("route") },
            Workload(name: "_find equality, 1 client", unit: "queries", count: scaled(500)) { count in
                try await find(count, clients: 1) { ["selector": ["route": .integer(Int64($0 % 1_000))], "limit": 25] }
            },
            Workload(name: "_find equality, 32 clients", unit: "queries", count: scaled(5_000)) { count in
                try await find(count, clients: 32) {
                    ["selector": ["route": .integer(Int64($0 % 1_000))], "limit": 25]
                }
            },
            Workload(name: "_find range with sort", unit: "queries", count: scaled(2_000)) { count in
                try await find(count, clients: 32) { number in
                    [
                        "selector": ["route": ["$gte": .integer(Int64(number % 900))]], "sort": [["route": "asc"]],
                        "limit": 25,
                    ]
                }
            },
            Workload(name: "_find $or of two fields", unit: "queries", count: scaled(2_000)) { count in
                try await index("km")
                try await find(count, clients: 32) { number in
                    let alternatives: [JSONValue] = [
                        ["route": .integer(Int64(number % 1_000))], ["km": .integer(Int64(number))],
                    ]
                    return ["selector": ["$or": .array(alternatives)], "limit": 25]
                }
            },
            Workload(name: "_find by $regex, no index", unit: "documents", count: stored * scaled(4)) { _ in
                try await find(scaled(4), clients: 1) { _ in ["selector": ["from": ["$regex": "^Nome"]], "limit": 25] }
            },
            Workload(name: "text index build", unit: "documents", count: stored) { _ in try await textIndex() },
            Workload(name: "_find by one word", unit: "queries", count: scaled(2_000)) { count in
                try await find(count, clients: 32) { ["selector": ["$text": .string("gull\($0 % 997)")], "limit": 25] }
            },
            Workload(name: "_find by two words", unit: "queries", count: scaled(2_000)) { count in
                try await find(count, clients: 32) { number in
                    ["selector": ["$text": .string("gull\(number % 997) tide\(number % 2)")], "limit": 25]
                }
            },
        ]
    }

    /// The number of documents that a query without an index reads.
    var stored: Int { scaled(500) + scaled(5_000) + scaled(50) * BenchWorkloads.batch }

    /// Creates an index and waits until a query can use it.
    private func index(_ field: String) async throws {
        let definition: JSONValue = [
            "index": ["fields": [.string(field)]], "ddoc": .string(field), "name": .string(field),
        ]
        try await post("_index", definition)
        try await post(
            "_find", ["selector": .object([field: 1]), "use_index": [.string(field), .string(field)], "limit": 1])
    }

    /// Creates a text index and waits until a query can use it.
    private func textIndex() async throws {
        let definition: JSONValue = ["fields": [["name": "note", "type": "string"]]]
        try await post("_index", ["index": definition, "type": "text", "ddoc": "words", "name": "words"])
        try await post("_find", ["selector": ["$text": "gull1"], "limit": 1])
    }

    private func find(
        _ count: Int, clients: Int, _ query: @escaping @Sendable (Int) -> JSONValue
    ) async throws {
        try await share(count, among: clients) { number in try await post("_find", query(number)) }
    }

    private func post(_ path: String, _ body: JSONValue) async throws {
        try await client.send("POST", "\(database)/\(path)", body: .bytes(ByteBuffer(bytes: body.jsonBytes())))
    }
}
