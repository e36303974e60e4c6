//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

extension BulkRoutes {
    /// Handles `_bulk_get`.
    @Sendable func read(_ context: RequestContext) async throws {
        let (request, response) = (context.request, context.response)
        let database = try await context.database()
        let datastore = database.datastore
        let query = try DocumentQuery(request.target)
        let tape = try await request.collectJSON(limits: server.limits, depthMax: datastore.limits.depthMax)
        guard let documents = tape.member("docs", of: 0), tape.kind(documents) == .array else {
            throw HTTPFailure.badRequest("Missing JSON list of 'docs'.")
        }
        if let name = BulkRoutes.namesOfOneDocument.first(where: { request.target.value($0) != nil }) {
            throw HTTPFailure.badRequest("`\(name)` applies to a single document. Send it in the members of `docs`.")
        }
        let items = try tape.elements(of: documents).map { index in
            var item = BulkGetItem(tape, index, in: datastore)
            item.isHidden = try !database.shows(item.id)
            return item
        }
        server.statistics.bulkRequests.add(1)
        server.statistics.documentReads.add(items.count)
        if !request.accepts("application/json"),
            request.accepts("multipart/mixed") || request.accepts("multipart/related")
        {
            return try await sendParts(items, query: query, datastore, request, response)
        }
        try await response.begin(contentType: "application/json")
        try await response.write("{\"results\":[")
        for (index, item) in items.enumerated() {
            let entryEnd: StaticString = index == items.count - 1 ? "]}" : "]},"
            var (text, otherRevisions) = try datastore.readTogether { try DocumentReader($0, query).bulkGet(item) }
            // A document may have many leaves, and each may have the maximum length of a document. Therefore each leaf
            // is sent before the next one is read.
            for revision in otherRevisions {
                text.append(literal: ",")
                try await response.write(try datastore.pinned(text))
                text = try datastore.readTogether { table in
                    try DocumentReader(table, query).bulkGet(revision, of: item, row: try table.row(id: item.id))
                }
            }
            text.append(literal: entryEnd)
            try await response.write(try datastore.pinned(text))
        }
        try await response.write("]}\n")
        try await response.finish()
    }

    /// Parameters that concern a single document. `_bulk_get` does not accept them in its query, because its query
    /// applies to all documents of the request.
    private static let namesOfOneDocument = ["rev", "open_revs", "atts_since", "w", "new_edits"]

    /// Sends the response of `_bulk_get` as a multipart body, with one part per revision.
    private func sendParts(
        _ items: [BulkGetItem], query: DocumentQuery, _ datastore: Datastore, _ request: ServerRequest,
        _ response: ServerResponse
    ) async throws {
        let query = query.withAttachments
        var parts = MixedParts(for: request)
        response.omitCacheControl()
        try await response.begin(contentType: parts.contentType)
        for item in items {
            let (first, otherRevisions) = try datastore.readTogether {
                try DocumentReader($0, query).bulkGet(item, as: &parts)
            }
            try await response.write(try datastore.pinned(first))
            for revision in otherRevisions {
                var text = DocumentText()
                try datastore.readTogether { table in
                    try DocumentReader(table, query).appendPart(
                        revision, of: item, row: try table.row(id: item.id), to: &parts, &text)
                }
                try await response.write(try datastore.pinned(text))
            }
        }
        try await response.write(parts.end())
        try await response.finish()
    }
}

/// One document in a request of `_bulk_get`.
struct BulkGetItem {
    /// The requested id; empty when it is missing or not a string.
    private(set) var id = ""
    /// The requested revision, in JSON.
    private var revisionText = "null"
    private(set) var revision: RevisionID?
    private(set) var attachmentsSince: [RevisionID]?
    /// The error that makes the item invalid; `nil` for a valid item.
    private(set) var failure: HTTPFailure?
    /// Whether the principal may not see the document. The document is then reported as missing.
    var isHidden = false

    init(_ tape: JSONTape, _ index: Int, in datastore: Datastore) {
        do {
            try read(tape, index, in: datastore)
        } catch {
            failure = HTTPFailure(error)
        }
    }

    private mutating func read(_ tape: JSONTape, _ index: Int, in datastore: Datastore) throws {
        let revisionIndex = tape.kind(index) == .object ? tape.member("rev", of: index) : nil
        if let revisionIndex { revisionText = String(decoding: tape.slice(revisionIndex), as: UTF8.self) }
        guard tape.kind(index) == .object, let idIndex = tape.member("id", of: index), tape.kind(idIndex) == .string
        else {
            revisionText = "null"
            throw HTTPFailure.badRequest("document id missed")
        }
        self.id = tape.string(idIndex)
        // As in CouchDB, local documents are not read in this way.
        guard LocalEdit.localID(of: id) == nil else {
            revisionText = "\"undefined\""
            throw HTTPFailure.missing
        }
        try DocumentID.check(self.id, limits: datastore.limits)
        if datastore.isPartitioned { try PartitionedID.check(self.id) }
        revision = try revisionIndex.map { try BulkGetItem.revision(tape, $0) }
        attachmentsSince = try tape.member("atts_since", of: index).map { list in
            guard tape.kind(list) == .array else {
                throw HTTPFailure.badRequest("atts_since must be a list of revisions")
            }
            return try tape.elements(of: list).map { try BulkGetItem.revision(tape, $0) }
        }
    }

    private static func revision(_ tape: JSONTape, _ index: Int) throws(HTTPFailure) -> RevisionID {
        guard tape.kind(index) == .string, let revision = RevisionID(tape.string(index)) else {
            throw .badRequest("Invalid rev format")
        }
        return revision
    }

    /// Returns the error object of an invalid item.
    fileprivate func refusal(_ failure: HTTPFailure) -> [UInt8] {
        missing(revision: revisionText, failure)
    }

    /// Returns the error object for a revision that does not exist. If the revision is `nil`, the error object reports
    /// that the document does not exist.
    fileprivate func missing(_ revision: RevisionID?) -> [UInt8] {
        missing(revision: "\"\(revision?.description ?? "undefined")\"", .missing)
    }

    private func missing(revision: String, _ failure: HTTPFailure) -> [UInt8] {
        var text: [UInt8] = []
        text.append(raw: "{\"id\":")
        appendID(to: &text)
        text.append(raw: ",\"rev\":\(revision),\"error\":")
        JSONWriter.appendQuoted(failure.error, to: &text)
        text.append(raw: ",\"reason\":")
        failure.appendReason(to: &text)
        text.append(UInt8(ascii: "}"))
        return text
    }

    fileprivate func appendID(to text: inout [UInt8]) {
        if id.isEmpty, failure?.error == "bad_request" {
            text.append(raw: "null")
        } else {
            JSONWriter.appendQuoted(id, to: &text)
        }
    }
}

extension DocumentReader {
    /// Returns the beginning of a document's entry in the response of `_bulk_get`. The beginning ends with the first
    /// revision. Also returns the other revisions, which the caller appends to the entry.
    func bulkGet(_ item: BulkGetItem) throws -> (first: DocumentText, rest: [RevisionID]) {
        var text = DocumentText()
        text.append(raw: "{\"id\":")
        item.appendID(to: &text.bytes)
        text.append(raw: ",\"docs\":[")
        if let failure = item.failure {
            text.append(error: item.refusal(failure))
            return (text, [])
        }
        let row = item.isHidden ? nil : try table.row(id: item.id)
        let revisions = try revisions(item, of: row)
        if let revision = revisions.first {
            text += try bulkGet(revision, of: item, row: row)
        } else {
            text.append(error: item.missing(nil))
        }
        return (text, Array(revisions.dropFirst()))
    }

    /// Returns the text of one revision, as an element of the list in a document's entry.
    fileprivate func bulkGet(
        _ revision: RevisionID, of item: BulkGetItem, row: DocumentRow?
    ) throws -> DocumentText {
        var text = DocumentText()
        if try !DocumentReader(table, query.with(item)).appendFound(revision, of: row, to: &text) {
            text.append(error: item.missing(revision))
        }
        return text
    }

    /// Returns the part with a document's first revision in the multipart response of `_bulk_get`. Also returns the
    /// other revisions. The caller appends a part for each of them.
    fileprivate func bulkGet(
        _ item: BulkGetItem, as parts: inout MixedParts
    ) throws -> (first: DocumentText, rest: [RevisionID]) {
        var text = DocumentText()
        if let failure = item.failure {
            parts.append(missing: item.refusal(failure), to: &text)
            return (text, [])
        }
        let row = item.isHidden ? nil : try table.row(id: item.id)
        let revisions = try revisions(item, of: row)
        if let revision = revisions.first {
            try appendPart(revision, of: item, row: row, to: &parts, &text)
        } else {
            parts.append(missing: item.missing(nil), to: &text)
        }
        return (text, Array(revisions.dropFirst()))
    }

    fileprivate func appendPart(
        _ revision: RevisionID, of item: BulkGetItem, row: DocumentRow?, to parts: inout MixedParts,
        _ text: inout DocumentText
    ) throws {
        let reader = DocumentReader(table, query.with(item))
        guard let row, let revisionParts = try reader.parts(of: row, revision: revision) else {
            return parts.append(missing: item.missing(revision), to: &text)
        }
        // As in CouchDB, the headers `X-Doc-Id` and `X-Rev-Id` are omitted from the part of a document without
        // attachments. The body of this part is the document's JSON, which contains the same values.
        let headers = [("X-Doc-Id", item.id), ("X-Rev-Id", revision.description)]
        parts.append(revisionParts, headers: revisionParts.hasAttachments ? headers : [], to: &text)
    }

    private func revisions(_ item: BulkGetItem, of row: DocumentRow?) throws -> [RevisionID] {
        // As in CouchDB, an item without a revision requests all leaves.
        guard let revision = item.revision else { return row?.leaves.map(\.revision) ?? [] }
        guard query.latest, let row else { return [revision] }
        return try latest([revision], of: row)
    }
}

extension DocumentText {
    /// Appends an entry with an error object.
    fileprivate mutating func append(error: [UInt8]) {
        append(raw: "{\"error\":")
        self += error
        append(UInt8(ascii: "}"))
    }
}

extension DocumentQuery {
    /// Returns the query for one item. If the item names revisions whose attachments the client already has
    /// (`atts_since`), the query omits these attachments.
    fileprivate func with(_ item: BulkGetItem) -> DocumentQuery {
        guard let clientRevisions = item.attachmentsSince, case .inline = attachments else { return self }
        var query = self
        query.attachments = .inline(unlessIn: clientRevisions)
        return query
    }
}
