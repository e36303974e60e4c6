//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON

/// The members of a document that begin with an underscore, parsed from its text.
package struct ReservedMembers {
    private(set) var count = 0
    private(set) var id: String?
    /// `_rev`; `nil` if it is absent.
    package private(set) var revision: RevisionID?
    /// `_deleted`; `false` if it is absent.
    package private(set) var isDeleted = false
    private(set) var attachments: [IncomingDocument.Attachment]?
    private var revisions: (start: Int, hashes: [String])?
    private let streamed: StreamedAttachments

    /// Creates an empty set of members; ``read(_:of:)`` reads them.
    ///
    /// - Parameter streamed: The data of inline attachments that is not in the text.
    package init(_ streamed: StreamedAttachments = StreamedAttachments()) { self.streamed = streamed }

    /// Reads the reserved members of the object at `index`.
    package mutating func read(_ tape: JSONTape, of index: Int) throws(StoreError) {
        for (key, value) in tape.members(of: index) where ReservedMembers.isReserved(key, in: tape) {
            count += 1
            try readMember(tape.string(key), tape, value)
        }
    }

    /// Whether a member is not part of the body. The members that the replicator writes (`_replication_…`) are part of
    /// the body.
    static func isReserved(_ key: Int, in tape: JSONTape) -> Bool {
        tape.keyFirstByte(key) == UInt8(ascii: "_")
            && !tape.string(key).utf8.starts(with: "_replication_".utf8)
    }

    private mutating func readMember(_ name: String, _ tape: JSONTape, _ value: Int) throws(StoreError) {
        switch name {
        case "_id":
            guard tape.kind(value) == .string else {
                throw StoreError(.invalidDocumentID, "Document id must be a string")
            }
            id = tape.string(value)
        case "_rev": revision = try ReservedMembers.revision(tape, value)
        case "_deleted":
            guard let deleted = tape.bool(value) else {
                throw StoreError(.invalidDocument, "_deleted must be true or false")
            }
            isDeleted = deleted
        case "_attachments": attachments = try readAttachments(tape, value)
        case "_revisions": revisions = try ReservedMembers.revisions(tape, value)
        case "_revs_info", "_conflicts", "_deleted_conflicts", "_local_seq": break
        default: throw StoreError(.invalidDocument, "Bad special document member: \(name)")
        }
    }

    private static func revision(_ tape: JSONTape, _ value: Int) throws(StoreError) -> RevisionID {
        guard tape.kind(value) == .string, let revision = RevisionID(tape.string(value)) else {
            throw StoreError(.invalidRevision, "Invalid rev format")
        }
        return revision
    }

    private static func revisions(
        _ tape: JSONTape, _ value: Int
    ) throws(StoreError) -> (start: Int, hashes: [String]) {
        guard tape.kind(value) == .object, let start = tape.member("start", of: value).flatMap({ tape.int($0) }),
            let ids = tape.member("ids", of: value), tape.kind(ids) == .array
        else { throw StoreError(.invalidDocument, "_revisions must contain start and ids") }
        var hashes: [String] = []
        for id in tape.elements(of: ids) {
            guard tape.kind(id) == .string else {
                throw StoreError(.invalidDocument, "_revisions.ids must contain strings")
            }
            hashes.append(tape.string(id))
        }
        return (start, hashes)
    }

    /// `_revisions`: the revision and its ancestors, the youngest first; empty if it is absent.
    func path(limits: StoreLimits) throws(StoreError) -> [RevisionID] {
        if let revision, revision.hashText.utf8.count > limits.revisionHashBytesMax {
            throw StoreError(.invalidRevision, "Invalid rev format")
        }
        guard let revisions else { return [] }
        guard revisions.hashes.count <= limits.revisionPathMax else {
            throw StoreError(.invalidRequest, "_revisions has more than \(limits.revisionPathMax) ids")
        }
        guard !revisions.hashes.isEmpty, revisions.hashes.count <= revisions.start,
            revisions.start <= RevisionID.generationMax
        else {
            throw StoreError(.invalidRequest, "_revisions.start must be the number of the first id")
        }
        var path: [RevisionID] = []
        path.reserveCapacity(revisions.hashes.count)
        for (position, text) in revisions.hashes.enumerated() {
            guard text.utf8.count <= limits.revisionHashBytesMax, let hash = RevisionID.Hash(text: text.utf8) else {
                throw StoreError(.invalidRevision, "Invalid rev format")
            }
            path.append(RevisionID(generation: revisions.start - position, hash: hash))
        }
        return path
    }

    private func readAttachments(
        _ tape: JSONTape, _ value: Int
    ) throws(StoreError) -> [IncomingDocument.Attachment] {
        guard tape.kind(value) == .object else {
            throw StoreError(.invalidDocument, "_attachments must be a JSON object")
        }
        // The keys of this dictionary are bytes, because two names that are canonically equivalent in Unicode are
        // different names.
        var attachments: [[UInt8]: IncomingDocument.Attachment] = [:]
        for (key, description) in tape.members(of: value) {
            let name = tape.string(key)
            attachments[Array(name.utf8)] = try attachment(name, tape, description)
        }
        return attachments.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private func attachment(
        _ name: String, _ tape: JSONTape, _ value: Int
    ) throws(StoreError) -> IncomingDocument.Attachment {
        try AttachmentName.check(name)
        guard tape.kind(value) == .object else {
            throw StoreError(.invalidRequest, "Attachment '\(name)' must be a JSON object")
        }
        if tape.member("stub", of: value).flatMap({ tape.bool($0) }) == true {
            return .stub(name: name, revisionPosition: tape.member("revpos", of: value).map { tape.int($0) ?? 0 })
        }
        let type = tape.member("content_type", of: value).flatMap { tape.kind($0) == .string ? tape.string($0) : nil }
        let contentType = type ?? AttachmentName.defaultContentType
        let position = tape.member("revpos", of: value).flatMap { tape.int($0) }.flatMap { $0 > 0 ? $0 : nil }
        if tape.member("follows", of: value).flatMap({ tape.bool($0) }) == true {
            return .following(name: name, contentType: contentType, revisionPosition: position)
        }
        guard let data = tape.member("data", of: value), tape.kind(data) == .string else {
            throw StoreError(.invalidRequest, "Attachment '\(name)' has neither data nor a stub")
        }
        switch streamed[tape.range(data).lowerBound] {
        case .stored(let blob):
            return .stored(name: name, contentType: contentType, blob: blob, revisionPosition: position)
        case nil:
            if let bytes = ReservedMembers.base64(tape, data) {
                return .inline(name: name, contentType: contentType, bytes: bytes, revisionPosition: position)
            }
        case .invalid: break
        }
        throw StoreError(.invalidRequest, "Attachment '\(name)' has data that is not Base64")
    }

    /// Decodes a string of Base64; `nil` if it is invalid. As in CouchDB, spaces and line ends between the digits are
    /// ignored. Only a string with such a byte or with an escape, such as `\/`, is copied first.
    private static func base64(_ tape: JSONTape, _ index: Int) -> [UInt8]? {
        let digits = tape.slice(index).dropFirst().dropLast()
        if !digits.contains(UInt8(ascii: "\\")), let bytes = Base64.decode(digits) { return bytes }
        return Base64.decode(tape.string(index).utf8.filter { !" \t\r\n".utf8.contains($0) })
    }
}

/// The rules for attachment names.
package enum AttachmentName {
    /// The content type of an attachment for which none is given.
    package static let defaultContentType = "application/octet-stream"

    /// Checks a name.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` and CouchDB's message.
    package static func check(_ name: String) throws(StoreError) {
        guard !name.isEmpty else { throw StoreError(.invalidRequest, "Attachment name must not be empty") }
        guard name.utf8.first != UInt8(ascii: "_") else {
            throw StoreError(.invalidRequest, "Attachment name '\(name)' starts with prohibited character '_'")
        }
    }
}
