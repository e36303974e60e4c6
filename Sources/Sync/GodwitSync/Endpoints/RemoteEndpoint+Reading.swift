//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
package import GodwitStore
public import GodwitTransport

// `_bulk_get` reads many revisions at a time as JSON, without the bytes of attachments. Therefore, the size of a
// response does not depend on the attachments. The response contains the lengths of the attachments. If the target
// needs small attachments of a document, a second `_bulk_get` then reads the document with these attachments. Large
// attachments are read one by one, in ranges, so that a lost connection loses only the bytes in transfer. From a server
// without `_bulk_get`, each document is requested with `open_revs`.

extension RemoteEndpoint {
    /// See ``DatabaseEndpoint/read(_:bytesMax:attachmentBytesMax:)``.
    public func read(
        _ wanted: [WantedRevisions], bytesMax: Int, attachmentBytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead {
        var result = try await fetch(wanted, withAttachments: false, bytesMax: bytesMax)
        let isSmall = { [limits] (document: ReplicatedDocument) in
            document.isCarried && document.attachmentBytes <= limits.attachmentsInlineBytesMax
                && document.attachments.allSatisfy { $0.length <= attachmentBytesMax }
        }
        let small = result.documents.filter(isSmall)
        guard !small.isEmpty else { return result }
        let ancestorsByID = Dictionary(wanted.map { (ExactText($0.id), $0.knownAncestors) }) { first, _ in first }
        result.documents.removeAll(where: isSmall)
        for batch in small.batches(bytesMax: bytesMax) {
            let requests = batch.map { document in
                WantedRevisions(
                    id: document.id, revisions: [document.revision],
                    knownAncestors: ancestorsByID[ExactText(document.id)] ?? [])
            }
            guard result.documents.isEmpty || result.bytes < bytesMax else {
                result.unread += requests
                continue
            }
            result = result + (try await fetch(requests, withAttachments: true, bytesMax: bytesMax))
        }
        return result
    }

    /// Reads revisions by `_bulk_get`, or one by one if the server does not support it.
    private func fetch(
        _ wanted: [WantedRevisions], withAttachments: Bool, bytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead {
        if peer.missingFeatures.bulkGet == nil {
            do throws(ReplicationError) {
                if let result = try await bulkGet(wanted, withAttachments: withAttachments, bytesMax: bytesMax) {
                    return result
                }
            } catch {
                guard error.code == .tooLarge, wanted.count > 1 else { throw error }
                // If the response is larger than expected, half of the revisions are read now, and the other half
                // later.
                let middle = wanted.count / 2
                var result = try await fetch(
                    Array(wanted[..<middle]), withAttachments: withAttachments, bytesMax: bytesMax)
                result.unread += wanted[middle...]
                return result
            }
        }
        return try await openRevisions(wanted, withAttachments: withAttachments, bytesMax: bytesMax)
    }

    /// Returns a document of a response, or `nil` if it was not requested.
    func document(
        _ tape: JSONTape, _ index: Int, _ requested: [ExactText: WantedRevisions], _ withAttachments: Bool
    ) throws(ReplicationError) -> ReplicatedDocument? {
        guard tape.kind(index) == .object, let revision = RevisionID(tape.text("_rev", of: index)) else {
            throw peer.nonsense("a revision has no _id or _rev")
        }
        guard let wantedRevisions = requested[ExactText(tape.text("_id", of: index))] else { return nil }
        return ReplicatedDocument(
            id: wantedRevisions.id, revision: revision, text: Array(tape.slice(index)),
            attachments: withAttachments
                ? [] : tape.neededAttachments(of: index, knownAncestors: wantedRevisions.knownAncestors))
    }

    // MARK: Single documents

    /// The maximum number of requests for single documents in progress at a time.
    private static let singlesInFlightMax = 4

    func openRevisions(
        _ wanted: [WantedRevisions], withAttachments: Bool, bytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead {
        var result = RevisionsRead()
        var remaining = wanted[...]
        while !remaining.isEmpty {
            guard result.documents.isEmpty || result.bytes < bytesMax else {
                result.unread += remaining
                break
            }
            let batch = remaining.prefix(RemoteEndpoint.singlesInFlightMax)
            remaining = remaining.dropFirst(batch.count)
            for partialResult in try await openConcurrently(batch, withAttachments) { result = result + partialResult }
        }
        return result
    }

    private func openConcurrently(
        _ batch: ArraySlice<WantedRevisions>, _ withAttachments: Bool
    ) async throws(ReplicationError) -> [RevisionsRead] {
        do {
            return try await withThrowingTaskGroup(of: (Int, RevisionsRead).self) { group in
                for (index, wantedRevisions) in batch.enumerated() {
                    group.addTask { (index, try await openRevisions(wantedRevisions, withAttachments)) }
                }
                var results: [(Int, RevisionsRead)] = []
                for try await result in group { results.append(result) }
                return results.sorted { $0.0 < $1.0 }.map(\.1)
            }
        } catch {
            throw ReplicationError(reading: error, "\(url)")
        }
    }

    private func openRevisions(
        _ wantedRevisions: WantedRevisions, _ withAttachments: Bool
    ) async throws(ReplicationError) -> RevisionsRead {
        var path = "\(Peer.path(of: wantedRevisions.id))?revs=true&latest=true&att_encoding_info=true"
        path += "&open_revs=\(wantedRevisions.revisions.jsonText.percentEncoded)&attachments=\(withAttachments)"
        if withAttachments, !wantedRevisions.knownAncestors.isEmpty {
            path += "&atts_since=\(wantedRevisions.knownAncestors.jsonText.percentEncoded)"
        }
        let answer = try await peer.send("GET", path)
        var result = RevisionsRead()
        if [401, 403, 404].contains(answer.status), !Peer.isDatabaseMissing(answer) {
            result.failures = wantedRevisions.revisions.map { revision in
                peer.failure(of: ReplicatedDocument(id: wantedRevisions.id, revision: revision, text: []), answer)
            }
            return result
        }
        try peer.check(answer, accepting: [200])
        let tape = try peer.tape(answer)
        guard tape.kind(0) == .array else { throw peer.nonsense("the response to open_revs is not a list") }
        for entry in tape.elements(of: 0) where tape.kind(entry) == .object {
            if let content = tape.member("ok", of: entry) {
                if let document = try document(
                    tape, content, [ExactText(wantedRevisions.id): wantedRevisions], withAttachments)
                {
                    result.add(document, of: wantedRevisions)
                }
            } else {
                let revision = RevisionID(tape.text("missing", of: entry))
                result.failures.append(
                    ReplicationFailure(
                        id: wantedRevisions.id, revision: revision, status: 404, error: "not_found",
                        reason: "the source does not have this revision any more"))
            }
        }
        return result
    }

    // MARK: Attachments

    /// Returns requests for the bytes of an attachment, in the order in which they are tried: one for each revision that
    /// may have them.
    package func requests(
        forAttachment name: String, of id: String, at revisions: [RevisionID]
    ) async throws(ReplicationError) -> [TransportRequest] {
        var requests: [TransportRequest] = []
        for revision in revisions {
            let path = "\(Peer.path(of: id))/\(name.percentEncoded)?rev=\(revision)"
            requests.append(try await peer.request("GET", path))
        }
        return requests
    }

    /// See ``DatabaseEndpoint/attachment(_:of:from:)``.
    public func attachment(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, from start: Int
    ) async throws(ReplicationError) -> AttachmentStream {
        let response = try await peer.begin(
            "GET",
            "\(Peer.path(of: document.id))/\(attachment.name.percentEncoded)?rev=\(document.revision)",
            headers: start > 0 ? [("Range", "bytes=\(start)-")] : [])
        switch response.status {
        case 200: return AttachmentStream(start: 0, response.body)
        case 206 where response["Content-Range"]?.begins(with: "bytes \(start)-") == true:
            return AttachmentStream(start: start, response.body)
        default:
            let body = try await response.collect(bytesMax: limits.answerBytesMax)
            let answer = Peer.Answer(to: response, body: body)
            guard [401, 403, 404, 416].contains(answer.status) else {
                try peer.check(answer, accepting: [])
                throw peer.nonsense("the request for an attachment returned the status \(answer.status)")
            }
            // The failure concerns only this document, so the replication continues.
            let failure = peer.failure(of: document, answer)
            throw ReplicationError(
                .attachmentRefused, "attachment \(attachment.name): \(failure.error): \(failure.reason)",
                status: answer.status)
        }
    }
}

extension ReplicatedDocument {
    /// The sum of the lengths of the attachments that are transferred separately, in bytes.
    var attachmentBytes: Int { attachments.reduce(0) { $0 + $1.length } }

    /// Whether both are the same revision of the same document.
    fileprivate func isSame(as other: ReplicatedDocument) -> Bool {
        revision == other.revision && id.utf8.elementsEqual(other.id.utf8)
    }
}

extension [ReplicatedDocument] {
    /// Divides the documents into batches. Each batch has at most `bytesMax` bytes, including the attachments as
    /// Base64. A longer document is the only document of its batch.
    fileprivate func batches(bytesMax: Int) -> [ArraySlice<ReplicatedDocument>] {
        var batches: [ArraySlice<ReplicatedDocument>] = []
        var remaining = self[...]
        while !remaining.isEmpty {
            var bytes = 0
            let batch = remaining.prefix { document in
                let documentBytes = document.text.count + document.attachmentBytes * 4 / 3
                defer { bytes += documentBytes }
                return bytes == 0 || bytes + documentBytes <= bytesMax
            }
            batches.append(batch)
            remaining = remaining.dropFirst(batch.count)
        }
        return batches
    }
}

extension RevisionsRead {
    /// The bytes of the documents that were read.
    fileprivate var bytes: Int { documents.reduce(0) { $0 + $1.bytes } }

    static func + (left: RevisionsRead, right: RevisionsRead) -> RevisionsRead {
        var sum = left
        sum.documents += right.documents
        sum.failures += right.failures
        sum.unread += right.unread
        return sum
    }

    /// Adds a document. Does nothing if the document is already present, because the same leaf may be returned for two
    /// requested revisions.
    mutating func add(_ document: ReplicatedDocument, of wantedRevisions: WantedRevisions) {
        guard wantedRevisions.revisions.count == 1 || !documents.contains(where: document.isSame) else { return }
        documents.append(document)
    }
}

extension [RevisionID] {
    /// The revisions as a JSON array.
    var jsonText: String { "[\(map { "\"\($0)\"" }.joined(separator: ","))]" }
}

extension JSONTape {
    /// The attachments of a document that were added after the ancestors that the other side has. The other side needs
    /// these attachments.
    fileprivate func neededAttachments(of index: Int, knownAncestors: [RevisionID]) -> [ReplicatedAttachment] {
        guard let members = member("_attachments", of: index), kind(members) == .object else { return [] }
        let commonAncestors = knownAncestors.filter { isAncestor($0, of: index) }
        return self.members(of: members).compactMap { key, value in
            guard kind(value) == .object, member("stub", of: value).flatMap({ bool($0) }) == true else { return nil }
            let addedGeneration = revisionPosition(value) ?? .max
            return commonAncestors.contains { $0.generation >= addedGeneration } ? nil : attachment(key, value)
        }
    }

    /// An attachment as a document describes it.
    func attachment(_ key: Int, _ value: Int) -> ReplicatedAttachment {
        // The values come from the other side and are not trusted, so impossible values are replaced.
        let length = member("length", of: value).flatMap { int($0) } ?? 0
        return ReplicatedAttachment(
            name: string(key), contentType: text("content_type", of: value),
            length: min(max(0, length), ReplicatedAttachment.lengthMax), digest: text("digest", of: value),
            revisionPosition: revisionPosition(value) ?? 1, isPacked: text("encoding", of: value) == "gzip")
    }

    /// The generation of the revision that added an attachment.
    private func revisionPosition(_ value: Int) -> Int? {
        member("revpos", of: value).flatMap { int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether a revision is in the history of a document in a response.
    private func isAncestor(_ revision: RevisionID, of index: Int) -> Bool {
        guard let history = member("_revisions", of: index), kind(history) == .object,
            let start = member("start", of: history).flatMap({ int($0) })
        else { return false }
        let hashes = list("ids", of: history)
        let hashIndex = start.subtractingSaturated(revision.generation)
        guard hashes.indices.contains(hashIndex), kind(hashes[hashIndex]) == .string else { return false }
        return string(hashes[hashIndex]).isIdenticalText(to: revision.hashText)
    }
}
