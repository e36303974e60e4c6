//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// Streams lists of documents into responses.
enum AllDocsWriter {
    /// Sends the complete response to one query.
    static func write(
        _ query: AllDocsQuery, of area: ListedArea, in datastore: Datastore, to response: ServerResponse
    ) async throws {
        try await response.begin(contentType: "application/json")
        try await write(AllDocsRows(query, of: area, in: datastore), to: response)
        try await response.write("\n")
        try await response.finish()
    }

    /// Sends the complete response to several queries.
    static func write(
        _ queries: [AllDocsQuery], of area: ListedArea, in datastore: Datastore, to response: ServerResponse
    ) async throws {
        try await response.writeResults(of: queries) { query in
            try await write(AllDocsRows(query, of: area, in: datastore), to: response)
        }
    }

    /// Writes one list as one object.
    private static func write(_ rows: AllDocsRows, to response: ServerResponse) async throws {
        var rows = rows
        try await response.write("{" + (try rows.head() + ["\"rows\":[\n"]).joined(separator: ","))
        var separator = ""
        while let text = try await rows.next(bytesMax: response.sliceBytes) {
            try await response.write(separator)
            try await response.write(try rows.datastore.pinned(text))
            separator = ",\n"
        }
        try await response.write("\n]}")
    }
}

extension ServerResponse {
    /// Sends the complete response to several queries.
    ///
    /// - Parameter write: A closure that writes the list of one query as one object.
    func writeResults(
        of queries: [AllDocsQuery], _ write: (AllDocsQuery) async throws -> Void
    ) async throws {
        try await begin(contentType: "application/json")
        var separator = "{\"results\":[\n"
        for query in queries {
            try await self.write(separator)
            try await write(query)
            separator = ",\n"
        }
        try await self.write(queries.isEmpty ? separator + "]}\n" : "\n]}\n")
        try await finish()
    }
}
