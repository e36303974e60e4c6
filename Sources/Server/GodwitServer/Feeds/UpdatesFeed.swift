//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// A response to `_db_updates`: the creations, updates and deletions of databases.
struct UpdatesFeed {
    let manager: DatastoreManager
    let query: FeedQuery
    let response: ServerResponse

    func run() async throws {
        var lastSequence = try await start()
        var remainingCount = query.limit
        var writer = FeedWriter(query: query, response: response)
        try await writer.begin()
        repeat {
            try await write(&writer, after: &lastSequence, left: &remainingCount)
            guard remainingCount > 0, query.kind.isEndless || query.kind == .longpoll && writer.isEmpty else { break }
        } while try await writer.wait(for: { [manager, lastSequence] in
            await manager.waitForUpdate(after: lastSequence)
        })
        try await writer.end("\"last_seq\":\"\(lastSequence)\"")
    }

    private func start() async throws -> Int64 {
        guard let since = query.since else { return 0 }
        let last = try await manager.lastUpdate()
        if since == "now" { return last }
        guard let number = Int64(since.prefix { $0 != "-" }), number >= 0 else {
            throw HTTPFailure.badRequest("Malformed sequence supplied in 'since' parameter.")
        }
        // With a later number, the feed would leave out the next updates.
        guard number <= last else {
            throw HTTPFailure.badRequest(
                "The 'since' parameter is beyond the last update, which is \(last). Use a `last_seq` of this server, or 0."
            )
        }
        return number
    }

    private func write(_ writer: inout FeedWriter, after lastSequence: inout Int64, left remainingCount: inout Int)
        async throws
    {
        while remainingCount > 0, case let slice = try await manager.updates(after: lastSequence), !slice.isEmpty {
            var text = DocumentText()
            for update in slice.prefix(remainingCount) {
                writer.append(DocumentText(row(of: update)), at: "\(update.sequence)", to: &text)
                lastSequence = update.sequence
                remainingCount -= 1
            }
            try await response.write(text.bytes)
        }
    }

    private func row(of update: DatabaseUpdate) -> [UInt8] {
        let kind =
            switch update.kind {
            case .created: "created"
            case .updated: "updated"
            case .deleted: "deleted"
            }
        let row: JSONValue = [
            "db_name": .string(update.name), "type": .string(kind), "seq": .string("\(update.sequence)"),
        ]
        return row.jsonBytes()
    }
}
