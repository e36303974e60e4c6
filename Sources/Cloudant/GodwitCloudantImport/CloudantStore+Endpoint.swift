//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitJSON
import GodwitSQLite
import GodwitStore
public import GodwitSync
public import GodwitTransport

extension CloudantStore: DatabaseEndpoint {
    /// If the attachments of a document have at most this number of bytes together, they are included in the document's
    /// text. Otherwise, they are sent separately.
    private static let inlineBytesMax = 64 << 10

    /// Returns the path of the file.
    public func identity() async throws(ReplicationError) -> String { "cloudant-sync:\(files.documents)" }

    /// Does nothing, since the file is open.
    public func open(creating: Bool) async throws(ReplicationError) -> String? { nil }

    /// Returns a page of documents with their leaves, in the order in which the documents were created. The call does
    /// not wait for changes.
    public func changes(_ query: ChangesQuery) async throws(ReplicationError) -> ChangesPage {
        do throws(StoreError) {
            let after = query.after.flatMap { Int($0) } ?? 0
            let (documents, last) = try await documents(after: after, countMax: query.limit)
            var changes: [RevisionsOfDocument] = []
            for document in documents {
                guard let leaves = try leaves(of: document) else { continue }
                changes.append(RevisionsOfDocument(id: document.row.id, revisions: leaves))
            }
            let pending = try await documentCount(after: last)
            return ChangesPage(
                changes: changes, lastSequence: "\(last)", pending: pending, isLast: documents.count < query.limit)
        } catch {
            throw ReplicationError(error)
        }
    }

    /// Returns the leaves of a document. If no leaf can be read, returns `nil` and records a loss.
    private func leaves(of document: DocumentTree) throws(StoreError) -> [RevisionID]? {
        let id = document.row.id
        do throws(StoreError) {
            let leaves = try document.tree.get().leaves.compactMap { leaf -> RevisionID? in
                let revision = RevisionID(leaf.revision)
                if revision == nil { lose("\(id) at \(leaf.revision)", "The revision's id is not valid.") }
                return revision
            }
            if leaves.isEmpty { lose(id, "The document has no revision.") }
            return leaves.isEmpty ? nil : leaves
        } catch {
            guard error.code == .corrupt else { throw error }
            lose(id, "The document's revisions cannot be read: the file is damaged.")
            return nil
        }
    }

    /// Returns nothing: a datastore of Cloudant Sync cannot be a target.
    public func missing(_ revisions: [RevisionsOfDocument]) async throws(ReplicationError) -> [WantedRevisions] { [] }

    /// See ``GodwitSync/DatabaseEndpoint/read(_:bytesMax:attachmentBytesMax:)``. A document whose attachment cannot be
    /// read is returned without the attachment, which is added to ``losses``.
    public func read(
        _ wanted: [WantedRevisions], bytesMax: Int, attachmentBytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead {
        let leaves: [[Result<Leaf?, StoreError>]]
        do throws(StoreError) {
            leaves = try await self.leaves(of: wanted, bytesMax: bytesMax)
        } catch {
            throw ReplicationError(error)
        }
        var result = RevisionsRead()
        var (readBytes, readCount) = (0, 0)
        for (requested, found) in zip(wanted, leaves) where readBytes == 0 || readBytes < bytesMax {
            readCount += 1
            for (revision, leaf) in zip(requested.revisions, found) {
                do {
                    guard let leaf = try leaf.get() else { continue }
                    let document = try await document(requested.id, revision, leaf, attachmentBytesMax)
                    readBytes += document.text.count
                    result.documents.append(document)
                } catch is CancellationError {
                    throw ReplicationError(.cancelled, "the import was cancelled")
                } catch {
                    result.failures.append(
                        ReplicationFailure(
                            id: requested.id, revision: revision, status: 422, error: "unreadable",
                            reason: (error as? StoreError)?.message ?? "\(error)"))
                }
            }
        }
        result.unread = Array(wanted[readCount...])
        return result
    }

    /// The maximum number of documents whose leaves are read together.
    private static let leavesMax = 256

    /// One leaf, as read from the tables.
    private struct Leaf: Sendable {
        let history: [String]
        let isDeleted: Bool
        let body: [UInt8]?
        let attachments: [AttachmentRow]
    }

    /// Returns the leaves of the first documents. Documents are added until their bodies have `bytesMax` bytes
    /// together, or until there are `leavesMax` documents. There is at least one document.
    ///
    /// - Returns: For each document, a list with one element for each wanted revision. The element is the leaf; `nil`
    ///   if the revision does not exist or is not a leaf.
    private func leaves(
        of wanted: [WantedRevisions], bytesMax: Int
    ) async throws(StoreError) -> [[Result<Leaf?, StoreError>]] {
        try await run { connection in
            var (leaves, readBytes) = ([[Result<Leaf?, StoreError>]](), 0)
            for requested in wanted.prefix(CloudantStore.leavesMax) where readBytes == 0 || readBytes < bytesMax {
                let found = requested.revisions.map { revision in
                    self.wrappingErrors { try CloudantStore.leaf(requested.id, revision, on: connection) }
                }
                readBytes += found.reduce(0) { $0 + ((try? $1.get())?.body?.count ?? 0) }
                leaves.append(found)
            }
            return leaves
        }
    }

    private static func leaf(_ id: String, _ revision: RevisionID, on connection: SQLiteConnection) throws -> Leaf? {
        guard let number = try CloudantStore.number(of: id, on: connection) else { return nil }
        let tree = try CloudantStore.tree(of: number, on: connection)
        guard let row = tree.leaves.first(where: { RevisionID($0.revision) == revision }) else { return nil }
        return Leaf(
            history: tree.history(of: row, revision), isDeleted: row.isDeleted,
            body: try CloudantStore.body(of: row, on: connection),
            attachments: try CloudantStore.attachments(of: row, on: connection))
    }

    private func document(
        _ id: String, _ revision: RevisionID, _ leaf: Leaf, _ attachmentBytesMax: Int
    ) async throws -> ReplicatedDocument {
        guard leaf.body != nil || leaf.isDeleted else {
            throw StoreError(.corrupt, "The body of the revision is not in the file.")
        }
        var text = DocumentHead(id: id, revision: revision, history: leaf.history, isDeleted: leaf.isDeleted)
        var (stored, totalBytes) = ([(row: AttachmentRow, content: CloudantBlobs.Content)](), 0)
        for row in leaf.attachments {
            do {
                let content = try await blobs.content(row)
                stored.append((row, content))
                totalBytes += content.length
            } catch let error as CancellationError {
                throw error
            } catch {
                lose("\(id)/\(row.name) at \(revision)", "\(error)")
            }
        }
        let isInline =
            totalBytes <= CloudantStore.inlineBytesMax && !stored.contains { $0.content.length > attachmentBytesMax }
        var separate: [ReplicatedAttachment] = []
        for (row, content) in stored {
            let position = min(max(row.revisionPosition, 1), revision.generation)
            var bytes: [UInt8]?
            if isInline {
                var all: [UInt8] = []
                for try await piece in blobs.pieces(row) { all += piece }
                bytes = all
            } else {
                separate.append(
                    ReplicatedAttachment(
                        name: row.name, contentType: row.contentType, length: content.length,
                        digest: content.digest, revisionPosition: position))
            }
            text.append(row, content, position, bytes)
        }
        return ReplicatedDocument(
            id: id, revision: revision, text: try text.text(with: members(of: leaf, id, revision)),
            attachments: separate)
    }

    /// Parses the body of a leaf.
    ///
    /// - Throws: ``GodwitStore/StoreError`` with code ``GodwitStore/StoreError/Code/invalidJSON`` if it is not an object.
    private func members(of leaf: Leaf, _ id: String, _ revision: RevisionID) throws(StoreError) -> JSONObject {
        do {
            let value = try value(parsing: leaf.body ?? Array("{}".utf8), of: "\(id) at \(revision)")
            guard let members = value.objectValue else {
                throw StoreError(.invalidJSON, "The body is no JSON object.")
            }
            return members
        } catch let error as JSONError {
            throw StoreError(.invalidJSON, "The body is not valid JSON: \(error.description)")
        } catch {
            throw StoreError(wrapping: error, subject: id)
        }
    }

    /// Returns the bytes of an attachment, always from the beginning: `start` is ignored.
    public func attachment(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, from start: Int
    ) async throws(ReplicationError) -> AttachmentStream {
        let row: AttachmentRow?
        do {
            let leaf = try await run { try CloudantStore.leaf(document.id, document.revision, on: $0) }
            row = leaf?.attachments.first { ExactText($0.name) == ExactText(attachment.name) }
        } catch {
            throw ReplicationError(reading: error, document.id)
        }
        guard let row else {
            throw ReplicationError(.attachmentRefused, "attachment \(attachment.name): it does not exist", status: 404)
        }
        return AttachmentStream(start: 0, blobs.pieces(row))
    }

    /// Always throws, because the files are only read.
    public func write(
        _ documents: [ReplicatedDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure] { throw CloudantStore.readOnly }

    /// Always throws, because the files are only read.
    public func carry(
        _ document: ReplicatedDocument, by carrier: AttachmentCarrier, replication id: String
    ) async throws(ReplicationError) -> ReplicationFailure? { throw CloudantStore.readOnly }

    /// Returns `nil`: there are no checkpoints.
    public func checkpoint(_ id: String) async throws(ReplicationError) -> JSONObject? { nil }

    /// Always throws, because the files are only read.
    public func saveCheckpoint(_ id: String, _ body: JSONObject) async throws(ReplicationError) {
        throw CloudantStore.readOnly
    }

    private static let readOnly = ReplicationError(
        .store, "a datastore of Cloudant Sync is only read: it cannot be the target of a replication", status: 403)
}

extension CloudantBlobs.Content {
    /// CouchDB's digest.
    var digest: String { "md5-\(md5.base64)" }
}

/// The members of a replicated document that come from the tables, not from the body.
private struct DocumentHead {
    private let id: String
    private let revision: RevisionID
    private let history: [String]
    private let isDeleted: Bool
    private var attachments: JSONObject = [:]

    init(id: String, revision: RevisionID, history: [String], isDeleted: Bool) {
        (self.id, self.revision, self.history, self.isDeleted) = (id, revision, history, isDeleted)
    }

    /// Adds an attachment.
    ///
    /// - Parameter bytes: The bytes of the attachment; `nil` if they are sent separately.
    mutating func append(
        _ row: CloudantStore.AttachmentRow, _ content: CloudantBlobs.Content, _ position: Int, _ bytes: [UInt8]?
    ) {
        var members: JSONObject = ["content_type": .string(row.contentType), "revpos": .integer(Int64(position))]
        if let bytes {
            members["data"] = .string(bytes.base64)
        } else {
            members["stub"] = true
            members["digest"] = .string(content.digest)
            members["length"] = .integer(Int64(content.length))
        }
        attachments[row.name] = .object(members)
    }

    /// Returns the text of the document with the members of a body.
    ///
    /// - Throws: ``GodwitStore/StoreError`` with code ``GodwitStore/StoreError/Code/invalidDocument`` if the body has a
    ///   reserved member.
    func text(with body: JSONObject) throws(StoreError) -> [UInt8] {
        var members = body
        for name in members.keys where name.utf8.first == UInt8(ascii: "_") {
            throw StoreError(.invalidDocument, "The body has the reserved member \(name).")
        }
        members["_id"] = .string(id)
        members["_rev"] = .string(revision.description)
        members["_revisions"] = [
            "start": .integer(Int64(revision.generation)), "ids": .array(history.map { .string($0) }),
        ]
        if isDeleted { members["_deleted"] = true }
        if !attachments.isEmpty { members["_attachments"] = .object(attachments) }
        return JSONValue.object(members).jsonBytes()
    }
}

extension [UInt8] {
    fileprivate var base64: String {
        var digits: [UInt8] = []
        Base64.append(self, to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }
}
