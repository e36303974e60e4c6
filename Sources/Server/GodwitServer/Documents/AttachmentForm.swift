//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport
import HTTPTypes
import NIOCore

/// Reads the form with which a web page uploads attachments (`multipart/form-data`). The form contains either the field
/// `_rev`, with the revision to change, or the field `_doc`, with the complete document. It also contains at most 1000
/// files in fields named `_attachments`. Other fields are ignored. A field `_attachments` without a file name is also
/// ignored.
///
/// Files are streamed to the store, so that memory never contains a complete file.
struct AttachmentForm {
    /// The JSON of the field `_doc`; `nil` if the form does not contain this field.
    private(set) var document: [UInt8]?
    /// The text of the field `_rev`; `nil` if the form does not contain this field.
    private(set) var revision: String?
    /// The stored files in the order of the form. If several files have the same name, the document gets the last of
    /// them.
    private(set) var attachments: [IncomingDocument.Attachment] = []

    private let datastore: Datastore
    private let documentBytesMax: Int
    private var part = Part.ignored
    /// The received bytes of the text field that is being read.
    private var fieldBytes: [UInt8] = []

    private enum Part {
        case ignored, document, revision
        case file(name: String, type: String, bytes: AttachmentUpload)
    }

    /// The maximum length of the field `_rev`, in bytes. Every valid revision is shorter.
    private static let revisionBytesMax = 1_000

    /// The maximum number of files in a form.
    private static let filesMax = 1_000

    init(_ request: ServerRequest, boundary: String, datastore: Datastore, limits: ServerLimits) async throws {
        self.datastore = datastore
        documentBytesMax = limits.jsonRequestBytesMax
        var reader = try MultipartReader(boundary: boundary)
        do {
            try await request.readBody(bytesMax: limits.requestBytesMax) { piece in
                reader.append([UInt8](piece.readableBytesView))
                while let event = try reader.next() { try await handleEvent(event) }
            }
            try reader.finish()
        } catch {
            // If this removal fails, the store removes the file later.
            if case .file(_, _, var bytes) = part { try? await bytes.drop() }
            datastore.endUploads(attachments.uploadedBlobs)
            throw error
        }
    }

    private mutating func handleEvent(_ event: MultipartEvent) async throws {
        switch event {
        case .headers(let headers): part = try beginPart(headers)
        case .body(let bytes): try await appendToPart(bytes)
        case .partEnd: try await endPart()
        case .end: break
        }
    }

    private func beginPart(_ headers: MultipartHeaders) throws -> Part {
        switch headers.disposition?.fieldName {
        case "_doc": return .document
        case "_rev": return .revision
        case "_attachments":
            guard let name = headers.filename else { return .ignored }
            try AttachmentName.check(name)
            guard attachments.count < AttachmentForm.filesMax else {
                throw HTTPFailure.badRequest("a form may have at most \(AttachmentForm.filesMax) files")
            }
            let type = headers["Content-Type"] ?? AttachmentName.defaultContentType
            return .file(name: name, type: type, bytes: datastore.upload())
        default: return .ignored
        }
    }

    private mutating func appendToPart(_ bytes: [UInt8]) async throws {
        switch part {
        case .ignored: break
        case .document:
            try WorkBudget.current?.take(bytes: bytes.count * ServerLimits.tapeBytesPerByte)
            fieldBytes += bytes
            guard fieldBytes.count <= documentBytesMax else { throw HTTPFailure.tooLarge(documentBytesMax) }
        case .revision:
            fieldBytes += bytes
            guard fieldBytes.count <= AttachmentForm.revisionBytesMax else {
                throw HTTPFailure.badRequest("Invalid rev format")
            }
        case .file(let name, let type, var upload):
            try await upload.append(bytes)
            part = .file(name: name, type: type, bytes: upload)
        }
    }

    private mutating func endPart() async throws {
        defer { (part, fieldBytes) = (.ignored, []) }
        switch part {
        case .ignored: break
        case .document: document = fieldBytes
        case .revision: revision = String(decoding: fieldBytes, as: UTF8.self)
        case .file(let name, let type, var upload):
            let blob = try await upload.finish()
            attachments.append(.stored(name: name, contentType: type, blob: blob))
        }
    }
}

extension AttachmentRoutes {
    /// Handles the upload of a form: saves its attachments with a document.
    @Sendable func saveForm(_ context: RequestContext) async throws {
        let request = context.request
        let database = try await context.database()
        let datastore = database.datastore
        try request.checkReferer()
        let id = try request.documentID(in: datastore)
        guard let type = request.header(.contentType).flatMap({ MediaType($0) }), type.essence == "multipart/form-data",
            let boundary = type.boundary
        else {
            throw HTTPFailure(
                .unsupportedMediaType, "bad_content_type", "Content-Type must be multipart/form-data")
        }
        try database.checkReading(id)
        let form = try await AttachmentForm(request, boundary: boundary, datastore: datastore, limits: server.limits)
        defer { datastore.endUploads(form.attachments.uploadedBlobs) }
        var document = try edit(of: id, by: form, in: datastore)
        document.revision = try request.revision(inBody: document.revision)
        for attachment in form.attachments { document.setAttachment(attachment) }
        let saved = try await datastore.save(try await database.validated(document))
        try await context.response.sendSaved(.created, id: id, revision: saved.description, at: [], to: request)
    }

    private func edit(of id: String, by form: AttachmentForm, in datastore: Datastore) throws -> IncomingDocument {
        if let text = form.document {
            let tape = try JSONTape(scanning: text, limits: datastore.limits.json)
            var document = try IncomingDocument(tape, at: 0, purpose: .edit, limits: datastore.limits)
            document.id = id
            return document
        }
        guard let revision = form.revision.flatMap({ RevisionID($0) }) else {
            throw HTTPFailure.badRequest("Invalid rev format")
        }
        return try datastore.edit(of: id, at: revision)
    }
}

extension ServerRequest {
    /// Checks that a page of this server sent the form. This check is necessary, because a page of any site can send a
    /// form to this server. CouchDB has the same check.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the header `Referer` is missing or names another host.
    func checkReferer() throws(HTTPFailure) {
        guard let referer = header(.referer) else { throw .badRequest("Referer header required.") }
        let host = referer.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
            .dropFirst(2).first?.prefix { !"/?#".utf8.contains($0) }
        guard let host = host.map({ String(decoding: $0, as: UTF8.self).lowercasedASCII }),
            let authority = head.authority?.lowercasedASCII, host.isIdenticalText(to: authority)
        else {
            throw .badRequest("Referer header must match host.")
        }
    }
}

extension HTTPField.Name {
    fileprivate static let referer = HTTPField.Name("Referer")!
}
