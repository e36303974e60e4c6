//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitText

/// A response to `_find?feed=eventsource`. It contains the results of a query, followed by the changes of these
/// results.
///
/// The first event has the results in order. Each further event describes how to change these results
/// (``QueryDifferences``):
///
///     data: {"docs":[{"_id":"a",…},{"_id":"b",…}]}
///
///     data: {"left":[{"from":1,"id":"b"}],"moved":[],"entered":[{"at":0,"id":"c","doc":{…}}],"changed":[]}
///
/// A client first removes the rows in `left` and `moved` at their indexes `from`, from the last to the first. The
/// client then inserts the rows in `entered` and `moved` at their indexes `at`, from the first to the last. Finally,
/// the client replaces the rows in `changed`. If the connection is lost and the client connects again, the feed begins
/// again with all results.
///
/// The feed keeps no documents in memory, because it reads each document when it sends the document. If a document
/// changed after the event was computed, the event contains the newer document. If the document was removed, the event
/// contains `{"_id":…,"_deleted":true}` instead. In both cases, the next event describes the change. If the query or
/// the store fails, the feed ends with the event `failure`, which contains CouchDB's `error` and `reason`. If the
/// database is closed or deleted, the feed ends without the event `failure`.
struct LiveFeed {
    let datastore: Datastore
    let query: FindQuery
    let feed: FeedQuery
    let response: ServerResponse
    let rowsMax: Int

    func run() async throws {
        var live = try LiveRun(query, in: datastore, asCouchDB: true, withDocuments: false, rowsMax: rowsMax)
        // The first step is done before the response begins. Therefore the status of the response can report errors in
        // the query.
        _ = try await live.step()
        var writer = FeedWriter(query: feed, response: response)
        try await writer.begin()
        do {
            try await response.write("data: {\"docs\":[")
            try await write(Array(0..<live.count), of: live) { _ in "" }
            try await response.write("]}\n\n")
            writer.hasWritten()
            try await follow(&live, &writer)
        } catch let error as StoreError where error.code == .closed {
            // The database was closed or deleted: the feed ends.
        } catch {
            guard error is QueryError || error is StoreError else { throw error }
            // An event must end with an empty line. The body of a failure already ends with a line break. Therefore one
            // further line break is sufficient.
            let failure = String(decoding: HTTPFailure(error).body, as: UTF8.self)
            try await response.write("event: failure\ndata: \(failure)\n")
        }
        try await response.finish()
    }

    private func follow(_ live: inout LiveRun, _ writer: inout FeedWriter) async throws {
        repeat {
            while let step = try await live.step() {
                try await write(step, of: live)
                writer.hasWritten()
                try await response.flush()
            }
        } while try await writer.wait(for: { [datastore, sequence = live.sequence] in
            await datastore.waitForChange(after: sequence)
        })
    }

    private func write(_ step: LiveRun.Step, of live: LiveRun) async throws {
        let differences = step.differences
        let leftRows = zip(differences.left, step.leftIDs).map { from, id -> JSONValue in
            ["from": .integer(Int64(from)), "id": .string(id)]
        }
        try await response.write("data: {\"left\":\(JSONValue.array(leftRows).jsonText()),\"moved\":[")
        let sources = Dictionary(uniqueKeysWithValues: differences.moved.map { ($0.to, $0.from) })
        try await write(differences.moved.map(\.to), of: live) { index in
            "{\"from\":\(sources[index] ?? 0),\(opening(index, live))"
        }
        try await response.write("],\"entered\":[")
        try await write(differences.entered, of: live) { "{\(opening($0, live))" }
        try await response.write("],\"changed\":[")
        try await write(differences.changed, of: live) { "{\(opening($0, live))" }
        try await response.write("]}\n\n")
    }

    private func opening(_ index: Int, _ live: LiveRun) -> String {
        "\"at\":\(index),\"id\":\(JSONValue.string(live.id(at: index)).jsonText()),\"doc\":"
    }

    /// Writes the documents at some indexes, slice by slice.
    ///
    /// - Parameter opening: A closure that returns the text to write before the document at an index. The text is empty
    ///   or the beginning of an object. If it is not empty, this method writes `}` after the document.
    private func write(_ indexes: [Int], of live: LiveRun, opening: (Int) -> String) async throws {
        var remaining = indexes[...]
        while !remaining.isEmpty {
            var text = DocumentText()
            try datastore.read { table in
                while text.bytes.count < response.sliceBytes, let index = remaining.popFirst() {
                    if index != indexes[0] { text.append(raw: ",") }
                    let opening = opening(index)
                    text.append(raw: opening)
                    try append(live.id(at: index), of: live, table, to: &text)
                    if !opening.isEmpty { text.append(raw: "}") }
                }
            }
            text.joinLines()
            try await response.write(text.bytes)
        }
    }

    private func append(
        _ id: String, of live: LiveRun, _ table: DocumentTable, to text: inout DocumentText
    ) throws {
        guard let document = try live.found(id, in: table) else {
            text += JSONValue.object(["_id": .string(id), "_deleted": true]).jsonBytes()
            return
        }
        document.appendText(showsConflicts: query.showsConflicts, to: &text)
    }
}
