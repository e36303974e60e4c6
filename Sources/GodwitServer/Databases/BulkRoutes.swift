//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitThreads
import HTTPTypes

/// Many documents in one request.
struct BulkRoutes {
    let context: ServerContext

    var routes: [Route] {
        [
            Route(.post, "/{db}/_bulk_docs", access: .document(.write), handler: write),
            Route(.post, "/{db}/_bulk_get", access: .document(.read), handler: read),
        ]
    }

    @Sendable private func write(
        _ request: ServerRequest, _ principal: Principal, _ response: ServerResponse
    ) async throws {
        let database = try await context.database(request, principal)
        let datastore = database.datastore
        // Two levels of the request stand around each document.
        let tape = try await request.collectJSON(limits: context.limits, depthMax: datastore.limits.depthMax + 2)
        guard let documents = tape.member("docs", of: 0) else {
            throw HTTPFailure.badRequest("POST body must include `docs` parameter.")
        }
        guard tape.kind(documents) == .array else {
            throw HTTPFailure.badRequest("`docs` parameter must be an array.")
        }
        let isReplicated = tape.member("new_edits", of: 0).flatMap { tape.bool($0) } == false
        guard tape.member("all_or_nothing", of: 0).flatMap({ tape.bool($0) }) != true else {
            throw HTTPFailure(
                .expectationFailed, "not_implemented", "all_or_nothing is not supported. Send the documents without it."
            )
        }
        let batch = try await BulkRoutes.batch(
            tape, documents, isReplicated: isReplicated, of: datastore, context.settings.options.value)
        var outcomes = try await BulkRoutes.write(
            batch.compactMap(\.document), to: database, isReplicated: isReplicated
        ).makeIterator()
        var localRevisions = try await BulkRoutes.write(batch.compactMap(\.local), to: database).makeIterator()
        var text: [UInt8] = [UInt8(ascii: "[")]
        for item in batch {
            switch item {
            case .document(let document):
                guard let outcome = outcomes.next() else { continue }
                BulkRoutes.append(outcome, of: document, isReplicated: isReplicated, to: &text)
            case .local(let edit):
                guard let revision = localRevisions.next(), !isReplicated else { continue }
                BulkRoutes.append(id: edit.fullID, revision: revision, to: &text)
            }
        }
        text.append(raw: "]\n")
        try await response.sendJSON(.created, body: text)
    }

    /// A document of a request's list.
    private enum Item: Sendable {
        case document(IncomingDocument)
        case local(LocalEdit)

        var document: IncomingDocument? { if case .document(let document) = self { document } else { nil } }
        var local: LocalEdit? { if case .local(let edit) = self { edit } else { nil } }
    }

    /// The documents of a request's list.
    private static func batch(
        _ tape: JSONTape, _ list: Int, isReplicated: Bool, of datastore: Datastore, _ options: ServerOptions
    ) async throws -> [Item] {
        try WorkBudget.current?.take(bytes: tape.count(of: list) * ServerLimits.documentMemoryBytes)
        var turns = WorkTurns()
        var batch: [Item] = []
        batch.reserveCapacity(tape.count(of: list))
        for index in tape.elements(of: list) {
            turns.meter?.spend(readingBytes: tape.range(index).count)
            batch.append(try item(tape, index, isReplicated: isReplicated, of: datastore, options))
            try turns.meter.check()
            if turns.isOver { await turns.next() }
        }
        return batch
    }

    private static func item(
        _ tape: JSONTape, _ index: Int, isReplicated: Bool, of datastore: Datastore, _ options: ServerOptions
    ) throws -> Item {
        let (limits, isPartitioned) = (datastore.limits, datastore.isPartitioned)
        if let id = LocalEdit.id(tape, at: index) {
            return .local(try LocalEdit(id: id, tape, at: index, limits: limits))
        }
        var document = try IncomingDocument(
            tape, at: index, purpose: isReplicated ? .replication : .edit, limits: limits)
        guard !isReplicated || document.revision != nil else {
            throw HTTPFailure.badRequest("When `new_edits: false`, the document needs `_rev` or `_revisions` specified")
        }
        if document.id == nil { document.id = DocumentIDs.next(options) }
        // As in CouchDB, one id that cannot be refuses them all.
        if let id = document.id, isPartitioned { try PartitionedID.check(id) }
        return .document(document)
    }

    /// Writes what the database's rules let in, and gives the outcome of each.
    private static func write(
        _ batch: [IncomingDocument], to database: OpenDatabase, isReplicated: Bool
    ) async throws -> [Result<RevisionID?, HTTPFailure>] {
        if isReplicated { try database.checkReplication() }
        let admitted = try await database.admit(batch, isReplicated: isReplicated)
        let written = try await database.datastore.writeEach(
            admitted.compactMap { try? $0.get() }, isReplicated: isReplicated)
        var rest = written[...]
        return admitted.map { result in result.flatMap { _ in rest.removeFirst().mapError { database.failure($0) } } }
    }

    /// Local documents that are written in one transaction.
    private static let localsPerTransaction = 500

    /// Writes local documents, and gives the revision of each.
    private static func write(_ edits: [LocalEdit], to database: OpenDatabase) async throws -> [String] {
        guard !edits.isEmpty else { return [] }
        try database.checkLocalWriting()
        var revisions: [String] = []
        var rest = edits[...]
        while !rest.isEmpty {
            let slice = rest.prefix(localsPerTransaction)
            rest = rest.dropFirst(slice.count)
            revisions += try await database.datastore.transact { transaction in
                try slice.map { try $0.write(in: transaction) }
            }
        }
        return revisions
    }

    private static func append(id: String, revision: String, to text: inout [UInt8]) {
        text.append(raw: text.count > 1 ? ",{" : "{")
        text.append(raw: "\"ok\":true,\"id\":")
        JSONWriter.appendQuoted(id, to: &text)
        text.append(raw: ",\"rev\":\"\(revision)\"}")
    }

    /// Appends one document's outcome; of replicated documents only failures are told, as in CouchDB.
    private static func append(
        _ outcome: Result<RevisionID?, HTTPFailure>, of document: IncomingDocument, isReplicated: Bool,
        to text: inout [UInt8]
    ) {
        switch outcome {
        case .success(let revision):
            guard !isReplicated else { return }
            append(id: document.id ?? "", revision: revision?.description ?? "", to: &text)
        case .failure(let failure):
            text.append(raw: text.count > 1 ? ",{" : "{")
            text.append(raw: "\"id\":")
            JSONWriter.appendQuoted(document.id ?? "", to: &text)
            if isReplicated, let revision = document.revision { text.append(raw: ",\"rev\":\"\(revision)\"") }
            text.append(raw: ",\"error\":")
            JSONWriter.appendQuoted(failure.error, to: &text)
            text.append(raw: ",\"reason\":")
            JSONWriter.appendQuoted(failure.reason, to: &text)
            text.append(UInt8(ascii: "}"))
        }
    }

    @Sendable private func read(
        _ request: ServerRequest, _ principal: Principal, _ response: ServerResponse
    ) async throws {
        let database = try await context.database(request, principal)
        let datastore = database.datastore
        let query = try DocumentQuery(request.target)
        let tape = try await request.collectJSON(limits: context.limits, depthMax: datastore.limits.depthMax)
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
        for (place, item) in wanted.enumerated() {
            if place > 0 { try await response.write(",") }
            let (first, rest) = try datastore.readTogether { try $0.bulkGet(item, query: query) }
            try await response.write(try datastore.pinned(first))
            // A document may have many leaves, each as long as a document may be.
            for revision in rest {
                let text = try datastore.readTogether { table in
                    try table.bulkGet(revision, of: item, row: try table.row(id: item.id), query: query)
                }
                try await response.write(",")
                try await response.write(try datastore.pinned(text))
            }
            try await response.write("]}")
        }
        try await response.write("]}\n")
        try await response.finish()
    }
}

extension BulkRoutes {
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
    /// Whether the document is not for who asks, who is told that there is none.
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

    /// What stands for a document that is not answered: what is wrong with the item.
    fileprivate func refusal(_ failure: HTTPFailure) -> [UInt8] {
        missing(revision: revisionText, failure)
    }

    /// What stands for a revision that is not here; `nil` for a document without any.
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
