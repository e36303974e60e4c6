//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

extension BulkRoutes {
    /// Answers `_bulk_get`.
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
            throw HTTPFailure.badRequest("`\(name)` is of one document. Send it with the documents.")
        }
        let wanted = try tape.elements(of: documents).map { index in
            var item = BulkGetItem(tape, index, in: datastore)
            item.isHidden = try !database.shows(item.id)
            return item
        }
        if !request.accepts("application/json"),
            request.accepts("multipart/mixed") || request.accepts("multipart/related")
        {
            return try await sendParts(wanted, query: query, datastore, request, response)
        }
        try await response.begin(contentType: "application/json")
        try await response.write("{\"results\":[")
        for (position, item) in wanted.enumerated() {
            let end: StaticString = position == wanted.count - 1 ? "]}" : "]},"
            var (text, rest) = try datastore.readTogether { try $0.bulkGet(item, query: query) }
            // A document may have many leaves, each as long as a document may be.
            for revision in rest {
                text.append(literal: ",")
                try await response.write(try datastore.pinned(text))
                text = try datastore.readTogether { table in
                    try table.bulkGet(revision, of: item, row: try table.row(id: item.id), query: query)
                }
            }
            text.append(literal: end)
            try await response.write(try datastore.pinned(text))
        }
        try await response.write("]}\n")
        try await response.finish()
    }

    /// Parameters that `_bulk_get` has in its body for each document.
    private static let namesOfOneDocument = ["rev", "open_revs", "atts_since", "w", "new_edits"]

    /// Answers `_bulk_get` in several parts, each with the document and revision that it is of.
    private func sendParts(
        _ wanted: [BulkGetItem], query: DocumentQuery, _ datastore: Datastore, _ request: ServerRequest,
        _ response: ServerResponse
    ) async throws {
        let query = query.withAttachments
        var parts = MixedParts(for: request)
        response.omitCacheControl()
        try await response.begin(contentType: parts.contentType)
        for item in wanted {
            let (first, rest) = try datastore.readTogether {
                try $0.bulkGet(item, query: query, in: datastore, as: &parts)
            }
            try await response.write(try datastore.pinned(first))
            for revision in rest {
                var text = DocumentText()
                try datastore.readTogether { table in
                    try table.appendPart(
                        revision, of: item, row: try table.row(id: item.id), query: query.with(item), in: datastore,
                        to: &parts, &text)
                }
                try await response.write(try datastore.pinned(text))
            }
        }
        try await response.write(parts.end())
        try await response.finish()
    }
}

/// One document that `_bulk_get` asks for.
struct BulkGetItem {
    /// As it was asked for; empty when that is no text.
    private(set) var id = ""
    /// The revision as it was asked for, in JSON.
    private var revisionText = "null"
    private(set) var revision: RevisionID?
    private(set) var attachmentsSince: [RevisionID]?
    /// What is wrong with the item; `nil` when it can be answered.
    private(set) var failure: HTTPFailure?
    /// Whether the user has no right to see the document. The answer is then that there is none.
    var isHidden = false

    init(_ tape: JSONTape, _ index: Int, in datastore: Datastore) {
        do {
            try read(tape, index, in: datastore)
        } catch {
            failure = HTTPFailure(error)
        }
    }

    private mutating func read(_ tape: JSONTape, _ index: Int, in datastore: Datastore) throws {
        let rev = tape.kind(index) == .object ? tape.member("rev", of: index) : nil
        if let rev { revisionText = String(decoding: tape.slice(rev), as: UTF8.self) }
        guard tape.kind(index) == .object, let id = tape.member("id", of: index), tape.kind(id) == .string else {
            revisionText = "null"
            throw HTTPFailure.badRequest("document id missed")
        }
        self.id = tape.string(id)
        try DocumentID.check(self.id, limits: datastore.limits)
        if datastore.isPartitioned { try PartitionedID.check(self.id) }
        revision = try rev.map { try BulkGetItem.revision(tape, $0) }
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

    /// The error object of an item that cannot be answered.
    fileprivate func refusal(_ failure: HTTPFailure) -> [UInt8] {
        missing(revision: revisionText, failure)
    }

    /// The error object of a revision that is missing here; of `nil`, of a document that is.
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
        JSONWriter.appendQuoted(failure.reason, to: &text)
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

extension DocumentTable {
    /// The beginning of a document's entry in the answer of `_bulk_get`, with its first revision, and the revisions that
    /// follow.
    func bulkGet(_ item: BulkGetItem, query: DocumentQuery) throws -> (first: DocumentText, rest: [RevisionID]) {
        var text = DocumentText()
        text.append(raw: "{\"id\":")
        item.appendID(to: &text.bytes)
        text.append(raw: ",\"docs\":[")
        if let failure = item.failure {
            text.append(error: item.refusal(failure))
            return (text, [])
        }
        let row = item.isHidden ? nil : try row(id: item.id)
        let wanted = try revisions(item, of: row, latest: query.latest)
        if let revision = wanted.first {
            text += try bulkGet(revision, of: item, row: row, query: query)
        } else {
            text.append(error: item.missing(nil))
        }
        return (text, Array(wanted.dropFirst()))
    }

    /// One revision in a document's entry.
    fileprivate func bulkGet(
        _ revision: RevisionID, of item: BulkGetItem, row: DocumentRow?, query: DocumentQuery
    ) throws -> DocumentText {
        var text = DocumentText()
        if try !appendFound(revision, of: row, query: query.with(item), to: &text) {
            text.append(error: item.missing(revision))
        }
        return text
    }

    /// The first part of one document in the answer of `_bulk_get`, and the revisions whose parts follow.
    fileprivate func bulkGet(
        _ item: BulkGetItem, query: DocumentQuery, in datastore: Datastore, as parts: inout MixedParts
    ) throws -> (first: DocumentText, rest: [RevisionID]) {
        var text = DocumentText()
        if let failure = item.failure {
            parts.append(missing: item.refusal(failure), to: &text)
            return (text, [])
        }
        let row = item.isHidden ? nil : try row(id: item.id)
        let wanted = try revisions(item, of: row, latest: query.latest)
        if let revision = wanted.first {
            try appendPart(
                revision, of: item, row: row, query: query.with(item), in: datastore, to: &parts, &text)
        } else {
            parts.append(missing: item.missing(nil), to: &text)
        }
        return (text, Array(wanted.dropFirst()))
    }

    fileprivate func appendPart(
        _ revision: RevisionID, of item: BulkGetItem, row: DocumentRow?, query: DocumentQuery, in datastore: Datastore,
        to parts: inout MixedParts, _ text: inout DocumentText
    ) throws {
        guard let row, let found = try self.parts(of: row, revision: revision, query: query, in: datastore) else {
            return parts.append(missing: item.missing(revision), to: &text)
        }
        // As in CouchDB, a document without attachments says all that these headers do.
        let headers = [("X-Doc-Id", item.id), ("X-Rev-Id", revision.description)]
        parts.append(found, headers: found.hasAttachments ? headers : [], to: &text)
    }

    private func revisions(_ item: BulkGetItem, of row: DocumentRow?, latest: Bool) throws -> [RevisionID] {
        // As in CouchDB, a document without a revision is asked for with all its leaves.
        guard let revision = item.revision else { return row?.leaves.map(\.revision) ?? [] }
        guard latest, let row else { return [revision] }
        return try self.latest([revision], of: row)
    }
}

extension DocumentText {
    /// Appends what is wrong with a document of a list.
    fileprivate mutating func append(error: [UInt8]) {
        append(raw: "{\"error\":")
        self += error
        append(UInt8(ascii: "}"))
    }
}

extension DocumentQuery {
    /// The query for one document, which may say which attachments the client has.
    fileprivate func with(_ item: BulkGetItem) -> DocumentQuery {
        guard let known = item.attachmentsSince, case .inline = attachments else { return self }
        var query = self
        query.attachments = .inline(unlessIn: known)
        return query
    }
}
