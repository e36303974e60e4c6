//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitTransport
import HTTPTypes

/// The routes of a document's attachments.
struct AttachmentRoutes {
    let server: ServerContext

    var routes: [Route] {
        ["/{db}/{id}/{attachment...}", "/{db}/_design/{design}/{attachment...}"].flatMap { path in
            [
                Route(.get, path, access: .document(.read), condition: .ofReading, work: .light, handler: read),
                Route(.put, path, access: .document(.write), condition: .ofWriting, work: .light, handler: save),
                Route(.delete, path, access: .document(.write), condition: .ofWriting, work: .light, handler: delete),
            ]
        }
            + [
                Route(
                    .post, "/{db}/{id}", access: .document(.write), condition: .ofWriting, work: .light, posts: .any,
                    handler: saveForm),
                Route(
                    .post, "/{db}/_design/{design}", access: .document(.write), condition: .ofWriting, work: .light,
                    posts: .any,
                    handler: saveForm),
            ]
    }

    // MARK: Reading

    @Sendable private func read(_ context: RequestContext) async throws {
        let (request, response) = (context.request, context.response)
        let database = try await context.database()
        let datastore = database.datastore
        let id = try request.documentID(in: datastore)
        try database.checkReading(id)
        let name = request.parameter("attachment")
        let revision = try request.target.revision("rev")
        let stored = try datastore.readTogether { try DocumentReader.revision(revision, of: id, in: $0) }
        guard let attachment = stored.attachments.first(where: { $0.name.isIdenticalText(to: name) }) else {
            throw HTTPFailure(.notFound, "not_found", "Document is missing attachment")
        }
        let digest = String(attachment.blob.md5Text.dropFirst(4))
        var headers = context.headers(ofStored: attachment.contentType)
        headers[.eTag] = "\"\(digest)\""
        headers[.acceptRanges] = "bytes"
        headers[.contentMD5] = digest
        if request.matches("\"\(digest)\"") {
            return try await response.sendEmpty(.notModified, headers: headers)
        }
        guard !attachment.blob.isAbsent else {
            throw HTTPFailure(
                .notFound, "not_found",
                "The attachment's bytes are only in the database that this one was pulled from. Read them there."
            )
        }
        let pin = try datastore.pin(attachment.blob, name: name)
        let length = attachment.blob.length
        let ranges = try ByteRange.requested(request.header(.range), length: length)
        if let ranges, ranges.count > 1 {
            return try await send(ranges, of: attachment, pin, from: datastore, headers: headers, to: response)
        }
        let range = ranges?.first
        if let range { headers[.contentRange] = range.contentRange(of: length) }
        var reader = AttachmentReader(of: pin, in: range, from: datastore)
        // The first piece is read before the response begins, so that the status of the response can still report an
        // error of reading it.
        let firstPiece = response.isHead ? nil : try reader.next(bytesMax: response.pieceBytes)
        try await response.begin(
            range == nil ? .ok : .partialContent, contentType: attachment.contentType, headers: headers,
            length: (range ?? 0..<length).count)
        if let firstPiece { try await response.write(firstPiece) }
        try await response.write(reader)
        try await response.finish()
    }

    /// Sends several ranges of an attachment. Each range is a part of a multipart body.
    private func send(
        _ ranges: [Range<Int>], of attachment: AttachmentRecord, _ pin: AttachmentPin, from datastore: Datastore,
        headers: HTTPFields, to response: ServerResponse
    ) async throws {
        var writer = MultipartWriter()
        let parts = ranges.map { range in
            let rangeHeader = ("Content-Range", range.contentRange(of: attachment.blob.length))
            return (headers: [("Content-Type", attachment.contentType), rangeHeader], bodyBytes: range.count)
        }
        try await response.begin(
            .partialContent, contentType: writer.contentType("byteranges"), headers: headers,
            length: writer.length(of: parts))
        for (range, part) in zip(ranges, parts) {
            try await response.write(writer.part(part.headers))
            try await response.write(AttachmentReader(of: pin, in: range, from: datastore))
        }
        try await response.write(writer.end())
        try await response.finish()
    }

    // MARK: Writing

    @Sendable private func save(_ context: RequestContext) async throws {
        let request = context.request
        let database = try await context.database()
        let datastore = database.datastore
        let id = try request.documentID(in: datastore)
        try database.checkReading(id)
        let name = request.parameter("attachment")
        try AttachmentName.check(name)
        let revision = try request.revision(inBody: nil)
        var edit = try datastore.edit(of: id, at: revision)
        // The edit is validated before the client sends the bytes.
        _ = try await database.validated(edit)
        let blob = try await upload(request, to: datastore)
        defer { datastore.endUploads([blob]) }
        let type = request.header(.contentType) ?? AttachmentName.defaultContentType
        edit.setAttachment(.stored(name: name, contentType: type, blob: blob))
        let saved = try await datastore.save(try await database.validated(edit))
        try await context.response.sendSaved(
            .created, id: id, revision: saved.description, at: [datastore.name, id, name], isTagged: false, to: request)
    }

    /// Stores the body of a request. The stored bytes are removed in two cases: the body is incomplete, or its digest
    /// differs from the header `Content-MD5`.
    private func upload(_ request: ServerRequest, to datastore: Datastore) async throws -> StoredBlob {
        var upload = datastore.upload()
        do {
            try await request.readUnpackedBody(bytesMax: server.limits.requestBytesMax) { try await upload.append($0) }
            let blob = try await upload.finish()
            if let digest = request.header(.contentMD5), !blob.md5Text.isIdenticalText(to: "md5-\(digest)") {
                throw HTTPFailure(.badRequest, "content_md5_mismatch", "Possible message corruption.")
            }
            return blob
        } catch {
            await upload.suspend()
            throw error
        }
    }

    @Sendable private func delete(_ context: RequestContext) async throws {
        let request = context.request
        let database = try await context.database()
        let datastore = database.datastore
        let id = try request.documentID(in: datastore)
        try database.checkReading(id)
        guard let revision = try request.revision(inBody: nil) else { throw HTTPFailure.conflict }
        var edit = try datastore.edit(of: id, at: revision)
        guard edit.removeAttachment(request.parameter("attachment")) else {
            throw HTTPFailure(.notFound, "not_found", "Document is missing attachment")
        }
        let saved = try await datastore.save(try await database.validated(edit))
        try await context.response.sendSaved(
            .ok, id: id, revision: saved.description, at: [], isTagged: false, to: request)
    }
}

extension ServerResponse {
    /// Writes the remaining bytes of an attachment to the body. Does nothing for a response without a body.
    func write(_ bytes: AttachmentReader) async throws {
        guard acceptsBody else { return }
        var bytes = bytes
        while let piece = try bytes.next(bytesMax: pieceBytes) { try await write(piece) }
    }
}

extension Range<Int> {
    /// The value of the header `Content-Range`.
    fileprivate func contentRange(of length: Int) -> String { "bytes \(lowerBound)-\(upperBound - 1)/\(length)" }
}

extension Datastore {
    /// Creates an edit that repeats a revision without changes. The caller adds attachments to the edit or removes
    /// attachments from it.
    ///
    /// If `revision` is `nil`, and the document does not exist or is deleted, the edit creates a new document.
    ///
    /// - Throws: ``HTTPFailure`` with status 409 when the revision is unknown, and when `revision` is `nil` although
    ///   the document is live.
    func edit(of id: String, at revision: RevisionID?) throws -> IncomingDocument {
        let (row, stored) = try readTogether { table -> (DocumentRow?, StoredRevision?) in
            guard let row = try table.row(id: id) else { return (nil, nil) }
            return (row, try revision.flatMap { try table.revision($0, of: row) })
        }
        guard revision != nil else {
            guard row?.winner.isDeleted ?? true else { throw HTTPFailure.conflict }
            return IncomingDocument(id: id)
        }
        guard let stored else { throw HTTPFailure(.conflict, "not_found", "missing_rev") }
        return try IncomingDocument(editing: stored, limits: limits)
    }
}
