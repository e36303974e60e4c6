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

/// Reads a document and the attachments that follow it (`multipart/related`), as clients and replicators send them.
///
/// Attachments are streamed to the store, so that memory never contains a complete attachment. An attachment whose part
/// has the header `MultipartWriter.startHeader` is resumable: when the connection breaks, the received bytes of the
/// attachment stay in the store. The sender, which is another Godwit, asks for the number of these bytes
/// (`ArrivalRoutes`) and sends the remaining bytes. The bytes of an attachment that is not resumable are removed. All
/// attachments of a refused document are removed.
struct MultipartDocumentReader {
    private let datastore: Datastore
    private let purpose: IncomingDocument.Purpose
    private let bytesMax: Int
    private let unpackedBytesMax: Int

    private var document: IncomingDocument?
    private var text: [UInt8] = []
    /// The attachments that have not arrived yet, in the order of the document's members.
    private var expected: ArraySlice<Expected> = []
    private var upload: Upload?
    /// The completely received attachments that are resumable. If this request fails, they stay in the store for the
    /// repeated request.
    private var resumableBlobs: [StoredBlob] = []
    /// Whether the bytes received so far contain no error.
    private var isFaultless = true

    /// An attachment that follows the document.
    fileprivate struct Expected {
        let name: String
        let length: Int?
        let digest: String?
        let isPacked: Bool

        var announced: AnnouncedBytes? {
            guard let length, let digest else { return nil }
            return AnnouncedBytes(length: length, md5Text: digest)
        }
    }

    fileprivate struct Upload {
        let expected: Expected
        var bytes: AttachmentUpload
        var unpacking: GzipUnpacker?
        /// The maximum length of the uncompressed attachment, in bytes.
        let bytesMax: Int
        /// The offset in the attachment at which the sent bytes begin; `nil` for an attachment that is not resumable.
        let start: Int?
        /// The number of bytes received so far, after decompression.
        var count = 0
    }

    init(datastore: Datastore, purpose: IncomingDocument.Purpose, limits: ServerLimits) {
        self.datastore = datastore
        self.purpose = purpose
        bytesMax = limits.jsonRequestBytesMax
        unpackedBytesMax = limits.requestBytesMax
    }

    /// Reads a request's body.
    ///
    /// - Returns: The document with its attachments stored, and the attachments that stay in the store if the document
    ///   is not written.
    /// - Throws: ``HTTPFailure`` when the body is malformed, too large or incomplete, and when the length or digest of
    ///   an attachment differs from the value in the document; errors of the connection and the store.
    mutating func read(_ request: ServerRequest, boundary: String, limits: ServerLimits) async throws
        -> (document: IncomingDocument, kept: [StoredBlob])
    {
        var reader = try MultipartReader(boundary: boundary)
        do {
            try await request.readBody(bytesMax: limits.requestBytesMax) { piece in
                isFaultless = false
                reader.append([UInt8](piece.readableBytesView))
                while let event = try reader.next() { try await handleEvent(event) }
                isFaultless = true
            }
            try reader.finish()
            isFaultless = false
            guard let document else { throw HTTPFailure.badRequest("the multipart body contains no document") }
            if let missing = expected.first {
                throw HTTPFailure.badRequest("Attachment '\(missing.name)' must follow the document but is missing")
            }
            return (document, resumableBlobs)
        } catch {
            await endUpload(keeping: isFaultless || HTTPFailure(error).mayRetry)
            throw error
        }
    }

    /// Ends the current upload. If `keeping` is `true` and the attachment is resumable, its received bytes stay in the
    /// store. In all other cases, they are removed.
    private mutating func endUpload(keeping: Bool) async {
        if keeping {
            await upload?.bytes.suspend()
        } else {
            // If this removal fails, the store removes the bytes later.
            try? await upload?.bytes.drop()
            if !resumableBlobs.isEmpty { try? await datastore.forgetArrivals(resumableBlobs) }
        }
        upload = nil
        datastore.endUploads(document?.uploadedBlobs.excluding(resumableBlobs) ?? [])
    }

    private mutating func handleEvent(_ event: MultipartEvent) async throws {
        switch event {
        case .headers(let headers): try await begin(headers)
        case .body(let bytes): try await append(bytes)
        case .partEnd: try await end()
        case .end: break
        }
    }

    private mutating func begin(_ headers: MultipartHeaders) async throws {
        guard document != nil else { return }
        guard let attachment = expected.popFirst() else {
            throw HTTPFailure.badRequest("the body has more attachments than the document names")
        }
        let isPacked = attachment.isPacked || headers["Content-Encoding"] == "gzip"
        let start = try headers[MultipartWriter.startHeader].map { try attachment.start($0, isPacked: isPacked) }
        guard start == nil || purpose == .replication else {
            throw HTTPFailure.badRequest("An attachment can be resumed only with new_edits=false.")
        }
        upload = Upload(
            expected: attachment, bytes: try await bytes(of: attachment, from: start),
            unpacking: isPacked ? GzipUnpacker() : nil,
            bytesMax: unpackedBytesMax, start: start)
    }

    /// Begins to store an attachment. If the store already has the first bytes of the attachment, the new bytes are
    /// appended to them.
    private func bytes(of attachment: Expected, from start: Int?) async throws -> AttachmentUpload {
        guard let start, let announced = attachment.announced else { return datastore.upload() }
        do throws(StoreError) {
            return try await datastore.upload(of: announced, from: start)
        } catch {
            guard error.code == .arrivalMissing else { throw error }
            throw HTTPFailure(.preconditionFailed, "missing_arrival", error.message)
        }
    }

    private mutating func append(_ bytes: [UInt8]) async throws {
        guard var current = upload else {
            text += bytes
            guard text.count <= bytesMax else { throw HTTPFailure.tooLarge(bytesMax) }
            return
        }
        if let unpacking = current.unpacking {
            try await unpacking.append(bytes) { try await current.add($0) }
        } else {
            try await current.add(bytes)
        }
        upload = current
    }

    private mutating func end() async throws {
        guard var current = upload else { return try readDocument() }
        let blob = try await current.finish()
        if current.start != nil { resumableBlobs.append(blob) }
        let name = current.expected.name
        let attachments = document?.attachments?.map { attachment -> IncomingDocument.Attachment in
            guard case .following(let attachmentName, let type, let revisionPosition) = attachment,
                attachmentName.utf8.elementsEqual(name.utf8)
            else { return attachment }
            return .stored(name: name, contentType: type, blob: blob, revisionPosition: revisionPosition)
        }
        document?.attachments = attachments
        upload = nil
    }

    private mutating func readDocument() throws {
        let tape = try JSONTape(scanning: text, limits: datastore.limits.json)
        document = try IncomingDocument(tape, at: 0, purpose: purpose, limits: datastore.limits)
        text = []
        guard let attachments = tape.member("_attachments", of: 0) else { return }
        var followingAttachments: [Expected] = []
        for (key, value) in tape.members(of: attachments) {
            guard tape.member("follows", of: value).flatMap({ tape.bool($0) }) == true else { continue }
            let digestAndEncoding = ["digest", "encoding"].map { tape.member($0, of: value).flatMap { tape.text($0) } }
            let isPacked = digestAndEncoding[1] == "gzip"
            followingAttachments.append(
                Expected(
                    name: tape.string(key),
                    // For compressed bytes, `length` is the uncompressed length, and `digest` is the digest of the
                    // compressed bytes.
                    length: isPacked ? nil : tape.member("length", of: value).flatMap { tape.int($0) },
                    digest: isPacked ? nil : digestAndEncoding[0], isPacked: isPacked))
        }
        expected = followingAttachments[...]
    }
}

extension MultipartDocumentReader.Expected {
    /// Parses the header of a part that contains an offset in the attachment. The bytes of the part begin at this
    /// offset.
    fileprivate func start(_ text: String, isPacked: Bool) throws(HTTPFailure) -> Int {
        guard !isPacked, let announced, let start = Int(text), (0...announced.length).contains(start) else {
            throw .badRequest(
                "\(MultipartWriter.startHeader) must be an offset in an attachment with a length and an MD5"
            )
        }
        return start
    }
}

extension MultipartDocumentReader.Upload {
    /// The offset in the attachment after the received bytes.
    private var end: Int { (start ?? 0).addingSaturated(count) }

    fileprivate mutating func add(_ piece: [UInt8]) async throws {
        // The store may now have more bytes of the attachment than when the sender asked.
        let storedCount = max(0, bytes.length.subtractingSaturated(end))
        count += piece.count
        guard count <= bytesMax else { throw HTTPFailure.tooLarge(bytesMax) }
        // Bytes that stay in the store must not exceed the announced length.
        if start != nil, let length = expected.length, end > length { throw otherLength }
        guard storedCount < piece.count else { return }
        try await ifUploadExists { upload throws(StoreError) in
            try await upload.append(Array(piece.dropFirst(storedCount)))
        }
    }

    /// Ends the upload, and compares its length and digest with the values in the document.
    fileprivate mutating func finish() async throws -> StoredBlob {
        try unpacking?.finish()
        if let length = expected.length, end != length { throw otherLength }
        let blob: StoredBlob
        do {
            blob = try await ifUploadExists { upload throws(StoreError) in try await upload.finish() }
        } catch let error as StoreError where error.code == .digestMismatch {
            throw HTTPFailure.otherDigest
        }
        if let digest = expected.digest, digest.begins(with: "md5-"), !digest.isIdenticalText(to: blob.md5Text) {
            throw HTTPFailure.otherDigest
        }
        return blob
    }

    private var otherLength: HTTPFailure {
        .badRequest(
            "Attachment '\(expected.name)' has \(end) bytes, "
                + "but the document says \(expected.length ?? 0)")
    }

    /// Runs an operation on the upload. Throws ``HTTPFailure`` with status 503 if the stored bytes of the upload were
    /// removed, or another request has appended to them.
    private mutating func ifUploadExists<Result>(
        _ body: (inout AttachmentUpload) async throws(StoreError) -> Result
    ) async throws -> Result {
        do throws(StoreError) {
            return try await body(&bytes)
        } catch {
            guard error.code == .notFound else { throw error }
            throw HTTPFailure(.serviceUnavailable, "service_unavailable", error.message)
        }
    }
}

extension [StoredBlob] {
    /// The bytes that are not among others.
    func excluding(_ others: [StoredBlob]) -> [StoredBlob] {
        filter { blob in !others.contains { $0.number == blob.number } }
    }
}

extension HTTPFailure {
    fileprivate static let otherDigest = HTTPFailure(
        .badRequest, "content_md5_mismatch", "Possible message corruption.")
}

extension JSONTape {
    /// The text of a string; `nil` for any other value.
    fileprivate func text(_ index: Int) -> String? { kind(index) == .string ? string(index) : nil }
}
