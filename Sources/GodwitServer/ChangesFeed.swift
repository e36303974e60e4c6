//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// One answer to `_changes`: what has changed already, and for a long poll the wait for the first change.
struct ChangesFeed {
    let datastore: Datastore
    let query: ChangesQuery
    let response: ServerResponse

    func run() async throws {
        try await response.begin(contentType: "application/json")
        try await response.write("{\"results\":[\n".utf8)
        var progress = Progress(last: query.since, left: query.limit)
        try await writeChanges(&progress)
        if query.feed == .longpoll, progress.isEmpty, try await waitForChange(after: progress.last) {
            try await writeChanges(&progress)
        }
        let pending = try datastore.read { try $0.countChanges(after: progress.last) }
        let last = datastore.sequence(progress.last)
        try await response.write("\n],\"last_seq\":\"\(last)\",\"pending\":\(pending)}\n".utf8)
        try await response.finish()
    }

    private struct Progress {
        var last: Int64
        var left: Int
        var isEmpty = true
    }

    private func writeChanges(_ progress: inout Progress) async throws {
        // Numbers without a row are those of purges: where nothing more is read, the feed stands at the newest.
        let latest = datastore.updateSequence.number
        var hasMore = true
        while hasMore, progress.left > 0 {
            let text = try datastore.read { table in
                let slice = try table.changes(
                    after: progress.last, detail: query.includesDocuments ? .bodies : .leaves,
                    rowsMax: min(datastore.limits.sliceRowsMax, progress.left), bytesMax: datastore.limits.sliceBytesMax
                )
                hasMore = slice.hasMore
                return try render(slice, &progress, from: table)
            }
            try await response.write(text)
        }
        if !hasMore, progress.left > 0 { progress.last = max(progress.last, latest) }
    }

    private func render(
        _ slice: RowSlice, _ progress: inout Progress, from table: DocumentTable
    ) throws -> [UInt8] {
        var text: [UInt8] = []
        for row in slice.rows {
            if !progress.isEmpty { text.append(raw: ",\n") }
            try append(row, from: table, to: &text)
            progress.isEmpty = false
            progress.left -= 1
            progress.last = row.sequence
        }
        return text
    }

    private func append(_ row: DocumentRow, from table: DocumentTable, to text: inout [UInt8]) throws {
        text.append(raw: "{\"seq\":\"\(row.sequence)-\(datastore.identity.epoch)\",\"id\":")
        JSONWriter.appendQuoted(row.id, to: &text)
        text.append(raw: ",\"changes\":[")
        for (place, leaf) in (query.allLeaves ? row.leaves : [row.winner]).enumerated() {
            text.append(raw: place > 0 ? ",{\"rev\":\"" : "{\"rev\":\"")
            text.append(raw: leaf.revision.description)
            text.append(raw: "\"}")
        }
        text.append(UInt8(ascii: "]"))
        if row.winner.isDeleted { text.append(raw: ",\"deleted\":true") }
        if query.includesDocuments {
            text.append(raw: ",\"doc\":")
            var renderer = DocumentRenderer()
            if query.conflicts { renderer.conflicts = row.conflicts }
            if query.attachments { renderer.attachments = .inline(unlessIn: []) }
            try renderer.append(StoredRevision(winnerOf: row), from: table, to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }

    /// Waits for a change, with a newline every now and then where the client wants one.
    ///
    /// - Returns: Whether there is a change.
    private func waitForChange(after sequence: Int64) async throws -> Bool {
        // The client learns at once that the feed stands.
        try await response.flush()
        guard let heartbeat = query.heartbeat else {
            return try await change(after: sequence, within: query.timeout ?? .zero) ?? false
        }
        while true {
            if let outcome = try await change(after: sequence, within: heartbeat) { return outcome }
            try await response.write("\n".utf8)
            try await response.flush()
        }
    }

    /// - Returns: Whether there is a change; `nil` when the time passed.
    private func change(after sequence: Int64, within time: Duration) async throws -> Bool? {
        try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask { [datastore] in await datastore.waitForChange(after: sequence) }
            group.addTask {
                try await Task.sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
