//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitViews

/// A response to `_changes`. It contains the changes after the sequence `since` that exist now. If the feed is live, it
/// also contains the changes that are made while the response is open. With the parameter `descending`, the response
/// contains all existing changes from the newest to the oldest. In this case, `since` and the kind of the feed have no
/// effect.
///
/// Each slice is read, rendered and sent before the next slice is read. Therefore no read transaction is open while the
/// feed waits for a slow client.
struct ChangesFeed {
    let datastore: Datastore
    let query: ChangesParameters
    let response: ServerResponse

    private struct Progress {
        /// The number of the last change that was sent or filtered out.
        var lastNumber: Int64
        /// The number of rows that may still be sent.
        var remainingCount: Int
        var rowCount = 0
    }

    func run() async throws {
        // The response begins only when the first rows are ready. Therefore, if a filter function fails before that,
        // the status of the response can report the failure.
        var writer = FeedWriter(query: query.feed, response: response)
        var progress = Progress(lastNumber: query.since, remainingCount: query.feed.limit)
        if query.isDescending {
            try await writeBackwards(&progress, &writer)
        } else {
            try await writeForwards(&progress, &writer)
        }
        let (last, after) = (datastore.sequence(progress.lastNumber), progress.lastNumber)
        // If the database was deleted while the feed was open, the feed ends without an error.
        let pending = (try? datastore.read { try $0.countChanges(after: after) }) ?? 0
        try await writer.end("\"last_seq\":\"\(last)\",\"pending\":\(query.isDescending ? 0 : pending)")
    }

    private func writeForwards(_ progress: inout Progress, _ writer: inout FeedWriter) async throws {
        let kind = query.feed.kind
        repeat {
            try await writeChanges(&progress, &writer)
            guard progress.remainingCount > 0, kind.isEndless || kind == .longpoll && writer.isEmpty else { return }
        } while try await writer.wait(for: { [datastore, last = progress.lastNumber] in
            await datastore.waitForChange(after: last)
        })
    }

    private func writeChanges(_ progress: inout Progress, _ writer: inout FeedWriter) async throws {
        var changes = try FilteredChanges(
            of: datastore, query.filter, allLeaves: query.allLeaves, detail: query.detail, after: progress.lastNumber)
        try await write(&changes, &progress, &writer)
        if changes.isAtEnd, progress.remainingCount > 0 { progress.lastNumber = max(progress.lastNumber, changes.last) }
    }

    /// Writes all changes from the newest to the oldest. The parameter `since` has no effect. Changes that are made
    /// while the feed is being written are not written.
    private func writeBackwards(_ progress: inout Progress, _ writer: inout FeedWriter) async throws {
        var changes = try FilteredChanges(
            of: datastore, query.filter, allLeaves: query.allLeaves, detail: query.detail, after: 0, order: .descending)
        progress.lastNumber = changes.last
        try await write(&changes, &progress, &writer)
    }

    private func write(
        _ changes: inout FilteredChanges, _ progress: inout Progress, _ writer: inout FeedWriter
    ) async throws {
        while progress.remainingCount > 0, !changes.isAtEnd {
            let rows = try await changes.next(rowsMax: progress.remainingCount, bytesMax: response.sliceBytes)
            try await writer.write(try datastore.pinned(render(rows, &progress, &writer)))
        }
    }

    private func render(
        _ rows: [FilteredRow], _ progress: inout Progress, _ writer: inout FeedWriter
    ) throws -> DocumentText {
        var text = DocumentText()
        for filtered in rows where progress.remainingCount > 0 {
            let row = filtered.row
            progress.lastNumber = row.sequence
            guard !filtered.leaves.isEmpty else { continue }
            // The first row contains its sequence. After that, one row in each interval contains its sequence.
            writer.append(
                try self.row(filtered, hasSequence: progress.rowCount % query.sequenceInterval == 0),
                at: "\(row.sequence)-\(datastore.identity.epoch)", to: &text)
            progress.rowCount += 1
            progress.remainingCount -= 1
        }
        return text
    }

    private func row(_ filtered: FilteredRow, hasSequence: Bool) throws -> DocumentText {
        let row = filtered.row
        var text = DocumentText()
        text.bytes.reserveCapacity(row.body.count + 160)
        text.append(
            raw: hasSequence
                ? "{\"seq\":\"\(row.sequence)-\(datastore.identity.epoch)\",\"id\":" : "{\"seq\":null,\"id\":")
        JSONWriter.appendQuoted(row.id, to: &text.bytes)
        text.append(raw: ",\"changes\":[")
        for (index, leaf) in filtered.leaves.enumerated() {
            text.append(raw: index > 0 ? ",{\"rev\":\"" : "{\"rev\":\"")
            text.bytes.append(leaf.revision)
            text.append(raw: "\"}")
        }
        text.append(UInt8(ascii: "]"))
        if row.winner.isDeleted { text.append(raw: ",\"deleted\":true") }
        if query.includesDocuments {
            text.append(raw: ",\"doc\":")
            try appendDocument(row, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    private func appendDocument(_ row: DocumentRow, to text: inout DocumentText) throws {
        var renderer = DocumentRenderer()
        if query.conflicts { renderer.conflicts = row.conflicts }
        guard let fields = query.fields else {
            if query.attachments { renderer.attachments = .inline(unlessIn: []) }
            return renderer.append(StoredRevision(winnerOf: row), to: &text)
        }
        var complete = DocumentText()
        renderer.append(StoredRevision(winnerOf: row), to: &complete)
        text += try fields.text(of: JSONTape(scanning: complete.bytes))
    }
}
