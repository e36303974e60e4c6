//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGzip
import GodwitJSON
import GodwitMultipart
import GodwitStore
import HTTPTypes
import NIOCore

/// Reads a document and the attachments that follow it (`multipart/related`), as clients and replicators send them.
///
/// Each attachment goes to the store as it comes; none is whole in memory.
struct MultipartDocumentReader {
    private let datastore: Datastore
    private let purpose: IncomingDocument.Purpose
    private let bytesMax: Int
    private let unpackedBytesMax: Int

    private var document: IncomingDocument?
    private var text: [UInt8] = []
    /// What is still to come, in the order of the document's members.
    private var expected: ArraySlice<Expected> = []
    private var upload: Upload?
    private var isEnded = false

    /// An attachment that follows the document.
    fileprivate struct Expected {
        let name: String
        let length: Int?
        let digest: String?
        let isPacked: Bool
    }

    fileprivate struct Upload {
        let expected: Expected
        var bytes: AttachmentUpload
        var unpacking: GzipUnpacker?
        /// The most that is taken, unpacked.
        let bytesMax: Int
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
    /// - Returns: The document, with what follows it stored.
    mutating func read(_ request: ServerRequest, boundary: String, limits: ServerLimits) async throws
        -> IncomingDocument
    {
        var reader = try MultipartReader(boundary: boundary)
        try await request.readBody(bytesMax: limits.requestBytesMax) { piece in
            reader.append([UInt8](piece.readableBytesView))
            while let event = try reader.next() { try await take(event) }
        }
        try reader.finish()
        guard let document else { throw HTTPFailure.badRequest("the multipart body holds no document") }
        if let missing = expected.first {
            throw HTTPFailure.badRequest("Attachment '\(missing.name)' is to follow the document and does not")
        }
        return document
    }

    private mutating func take(_ event: MultipartEvent) async throws {
        switch event {
        case .headers(let headers): try begin(headers)
        case .body(let bytes): try await append(bytes)
        case .partEnd: try await end()
        case .end: break
        }
    }

    private mutating func begin(_ headers: MultipartHeaders) throws {
        guard document != nil else { return }
        guard let next = expected.popFirst() else {
            throw HTTPFailure.badRequest("more attachments follow than the document names")
        }
        let isPacked = next.isPacked || headers["Content-Encoding"] == "gzip"
        upload = Upload(
            expected: next, bytes: datastore.upload(), unpacking: isPacked ? GzipUnpacker() : nil,
            bytesMax: unpackedBytesMax)
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
        try current.unpacking?.finish()
        let blob = try await current.bytes.finish()
        try current.check(blob)
        let name = current.expected.name
        let attachments = document?.attachments?.map { attachment -> IncomingDocument.Attachment in
            guard case .following(let own, let type, let position) = attachment, own.utf8.elementsEqual(name.utf8)
            else { return attachment }
            return .stored(name: name, contentType: type, blob: blob, revisionPosition: position)
        }
        document?.attachments = attachments
        upload = nil
    }

    private mutating func readDocument() throws {
        let tape = try JSONTape(scanning: text, limits: datastore.limits.json)
        document = try IncomingDocument(tape, at: 0, purpose: purpose, limits: datastore.limits)
        text = []
        guard let attachments = tape.member("_attachments", of: 0) else { return }
        var found: [Expected] = []
        for (key, value) in tape.members(of: attachments) {
            guard tape.member("follows", of: value).flatMap({ tape.bool($0) }) == true else { continue }
            let texts = ["digest", "encoding"].map { tape.member($0, of: value).flatMap { tape.text($0) } }
            let isPacked = texts[1] == "gzip"
            found.append(
                Expected(
                    name: tape.string(key),
                    // The length of packed bytes is that of the unpacked ones, and the digest that of the packed.
                    length: isPacked ? nil : tape.member("length", of: value).flatMap { tape.int($0) },
                    digest: isPacked ? nil : texts[0], isPacked: isPacked))
        }
        expected = found[...]
    }
}

extension MultipartDocumentReader.Upload {
    fileprivate mutating func add(_ piece: [UInt8]) async throws {
        count += piece.count
        guard count <= bytesMax else { throw HTTPFailure.tooLarge(bytesMax) }
        try await bytes.append(piece)
    }

    /// Compares what came with what the document says of it.
    fileprivate func check(_ blob: StoredBlob) throws(HTTPFailure) {
        if let length = expected.length, length != blob.length {
            throw .badRequest("Attachment '\(expected.name)' has \(blob.length) bytes, and the document says \(length)")
        }
        if let digest = expected.digest, digest.hasPrefix("md5-"), digest != blob.md5Text {
            throw HTTPFailure(.badRequest, "content_md5_mismatch", "Possible message corruption.")
        }
    }
}

extension JSONTape {
    /// The text of a string; `nil` for anything else.
    fileprivate func text(_ index: Int) -> String? { kind(index) == .string ? string(index) : nil }
}
