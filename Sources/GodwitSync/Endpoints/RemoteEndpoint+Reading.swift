//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

// Revisions are fetched many at a time by `_bulk_get`, in JSON and without the bytes of attachments, so that an answer's
// size can be told beforehand, whatever hangs on the documents. Of attachments that the target needs, small ones are
// then fetched with their documents by a second `_bulk_get`, since their sizes are known by now; large ones are read one
// by one, by ranges, so that a cut connection costs only what was on its way. A peer without `_bulk_get` is asked for
// each document by `open_revs`.

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
        let known = Dictionary(wanted.map { (ExactText($0.id), $0.knownAncestors) }) { first, _ in first }
        result.documents.removeAll(where: isSmall)
        var bytes = result.documents.reduce(0) { $0 + $1.text.count }
        for batch in small.batches(bytesMax: bytesMax) {
            let again = batch.map { document in
                WantedRevisions(
                    id: document.id, revisions: [document.revision],
                    knownAncestors: known[ExactText(document.id)] ?? [])
            }
            guard bytes == 0 || bytes < bytesMax else {
                result.unread += again
                continue
            }
            let filled = try await fetch(again, withAttachments: true, bytesMax: bytesMax)
            bytes += filled.documents.reduce(0) { $0 + $1.text.count }
            result.documents += filled.documents
            result.failures += filled.failures
            result.unread += filled.unread
        }
        return result
    }

    /// Fetches revisions by whatever the peer can do.
    private func fetch(
        _ wanted: [WantedRevisions], withAttachments: Bool, bytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead {
        if peer.lacks.bulkGet == nil {
            do throws(ReplicationError) {
                if let result = try await bulkGet(wanted, withAttachments: withAttachments, bytesMax: bytesMax) {
                    return result
                }
            } catch {
                guard error.code == .tooLarge, wanted.count > 1 else { throw error }
                // More than expected: half of it now, and the rest when there is room.
                let middle = wanted.count / 2
                var result = try await fetch(
                    Array(wanted[..<middle]), withAttachments: withAttachments, bytesMax: bytesMax)
                result.unread += wanted[middle...]
                return result
            }
        }
        return try await openRevisions(wanted, withAttachments: withAttachments, bytesMax: bytesMax)
    }

    // MARK: Many documents

    /// - Returns: `nil` when the peer has no `_bulk_get`, which is remembered.
    private func bulkGet(
        _ wanted: [WantedRevisions], withAttachments: Bool, bytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead? {
        let answer = try await peer.send(
            "POST", "_bulk_get?revs=true&latest=true&att_encoding_info=true&attachments=\(withAttachments)",
            body: RemoteEndpoint.bulkGetBody(wanted, withAttachments: withAttachments),
            // Twice as much as was asked for is taken before the answer is given up for a smaller one.
            bytesMax: wanted.count > 1 ? 2 * bytesMax : limits.responseBytesMax)
        if [404, 405, 501].contains(answer.status), !RemoteEndpoint.isDatabaseMissing(answer) {
            peer.learn { $0.bulkGet = "_bulk_get was answered \(answer.status)" }
            return nil
        }
        try peer.check(answer, accepting: [200])
        let tape = try peer.tape(answer)
        guard tape.kind(0) == .object, tape.member("results", of: 0) != nil else {
            throw peer.nonsense("_bulk_get has no results")
        }
        var result = RevisionsRead()
        var unanswered: [WantedRevisions] = []
        var answered: Set<ExactText> = []
        let asked = Dictionary(wanted.map { (ExactText($0.id), $0) }) { first, _ in first }
        for row in tape.list("results", of: 0) {
            for entry in tape.list("docs", of: row) where tape.kind(entry) == .object {
                if let document = tape.member("ok", of: entry) {
                    try take(tape, document, asked, withAttachments, into: &result)
                    if tape.kind(document) == .object { answered.insert(ExactText(tape.text("_id", of: document))) }
                } else if let error = tape.member("error", of: entry), tape.kind(error) == .object,
                    let wish = asked[ExactText(tape.text("id", of: error))],
                    let revision = RevisionID(tape.text("rev", of: error))
                {
                    answered.insert(ExactText(wish.id))
                    unanswered.append(
                        WantedRevisions(
                            id: wish.id, revisions: [revision], knownAncestors: wish.knownAncestors))
                }
            }
        }
        unanswered += wanted.filter { !answered.contains(ExactText($0.id)) }
        // A row that names an error or is not there is asked for once more by itself, and reported when that fails too.
        if !unanswered.isEmpty {
            let singles = try await openRevisions(unanswered, withAttachments: withAttachments, bytesMax: bytesMax)
            result.documents += singles.documents
            result.failures += singles.failures
            result.unread += singles.unread
        }
        return result
    }

    private static func bulkGetBody(_ wanted: [WantedRevisions], withAttachments: Bool) -> [UInt8] {
        var body: [UInt8] = []
        for document in wanted {
            for revision in document.revisions {
                body.append(raw: body.isEmpty ? "{\"docs\":[{\"id\":" : ",{\"id\":")
                JSONWriter.appendQuoted(document.id, to: &body)
                body.append(raw: ",\"rev\":\"\(revision)\"")
                if withAttachments, !document.knownAncestors.isEmpty {
                    body.append(raw: ",\"atts_since\":\(document.knownAncestors.jsonText)")
                }
                body.append(UInt8(ascii: "}"))
            }
        }
        body.append(raw: body.isEmpty ? "{\"docs\":[]}" : "]}")
        return body
    }

    static func isDatabaseMissing(_ answer: Peer.Answer) -> Bool {
        guard answer.status == 404, let tape = try? JSONTape(scanning: answer.body), tape.kind(0) == .object else {
            return false
        }
        return ["no_db_file", "Database does not exist."].contains(tape.text("reason", of: 0))
    }

    private func take(
        _ tape: JSONTape, _ index: Int, _ asked: [ExactText: WantedRevisions], _ withAttachments: Bool,
        into result: inout RevisionsRead
    ) throws(ReplicationError) {
        guard tape.kind(index) == .object, let revision = RevisionID(tape.text("_rev", of: index)) else {
            throw peer.nonsense("a revision has no _id or _rev")
        }
        // What nobody asked for is no part of the replication.
        guard let wish = asked[ExactText(tape.text("_id", of: index))] else { return }
        let isThere = result.documents.contains {
            $0.revision == revision && $0.id.utf8.elementsEqual(wish.id.utf8)
        }
        // Two revisions that were asked for may have one leaf.
        guard wish.revisions.count == 1 || !isThere else { return }
        result.documents.append(
            ReplicatedDocument(
                id: wish.id, revision: revision, text: Array(tape.slice(index)),
                attachments: withAttachments
                    ? [] : tape.neededAttachments(of: index, knownAncestors: wish.knownAncestors)))
    }

    // MARK: One document

    /// Requests for single documents that are under way at a time.
    private static let singlesInFlightMax = 4

    private func openRevisions(
        _ wanted: [WantedRevisions], withAttachments: Bool, bytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead {
        var result = RevisionsRead()
        var bytes = 0
        var rest = wanted[...]
        while !rest.isEmpty {
            guard bytes == 0 || bytes < bytesMax else {
                result.unread += rest
                break
            }
            let batch = rest.prefix(RemoteEndpoint.singlesInFlightMax)
            rest = rest.dropFirst(batch.count)
            for one in try await together(batch, withAttachments) {
                bytes += one.documents.reduce(0) { $0 + $1.text.count }
                result.documents += one.documents
                result.failures += one.failures
            }
        }
        return result
    }

    private func together(
        _ batch: ArraySlice<WantedRevisions>, _ withAttachments: Bool
    ) async throws(ReplicationError) -> [RevisionsRead] {
        do {
            return try await withThrowingTaskGroup(of: (Int, RevisionsRead).self) { group in
                for (place, wish) in batch.enumerated() {
                    group.addTask { (place, try await openRevisions(wish, withAttachments)) }
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
        _ wish: WantedRevisions, _ withAttachments: Bool
    ) async throws(ReplicationError) -> RevisionsRead {
        var path = "\(RemoteEndpoint.path(of: wish.id))?revs=true&latest=true&att_encoding_info=true"
        path += "&open_revs=\(wish.revisions.jsonText.urlEncoded)&attachments=\(withAttachments)"
        if withAttachments, !wish.knownAncestors.isEmpty {
            path += "&atts_since=\(wish.knownAncestors.jsonText.urlEncoded)"
        }
        let answer = try await peer.send("GET", path)
        var result = RevisionsRead()
        if [401, 403, 404].contains(answer.status), !RemoteEndpoint.isDatabaseMissing(answer) {
            result.failures = wish.revisions.map { revision in
                peer.failure(of: ReplicatedDocument(id: wish.id, revision: revision, text: []), answer)
            }
            return result
        }
        try peer.check(answer, accepting: [200])
        let tape = try peer.tape(answer)
        guard tape.kind(0) == .array else { throw peer.nonsense("open_revs is no list") }
        for entry in tape.elements(of: 0) where tape.kind(entry) == .object {
            if let document = tape.member("ok", of: entry) {
                try take(tape, document, [ExactText(wish.id): wish], withAttachments, into: &result)
            } else {
                let revision = RevisionID(tape.text("missing", of: entry))
                result.failures.append(
                    ReplicationFailure(
                        id: wish.id, revision: revision, status: 404, error: "not_found",
                        reason: "the source no longer has this revision"))
            }
        }
        return result
    }

    /// A document's path below its database: the slash behind `_design` and `_local` stays one.
    static func path(of id: String) -> String {
        for prefix in ["_design/", "_local/"] where id.utf8.starts(with: prefix.utf8) {
            return prefix + String(id.dropFirst(prefix.count)).urlEncoded
        }
        return id.urlEncoded
    }

    // MARK: Attachments

    /// See ``DatabaseEndpoint/attachment(_:of:from:)``.
    public func attachment(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, from start: Int
    ) async throws(ReplicationError) -> AttachmentStream {
        let response = try await peer.begin(
            "GET",
            "\(RemoteEndpoint.path(of: document.id))/\(attachment.name.urlEncoded)?rev=\(document.revision)",
            headers: start > 0 ? [("Range", "bytes=\(start)-")] : [])
        switch response.status {
        case 200: return AttachmentStream(start: 0, response.body)
        case 206 where response["Content-Range"]?.hasPrefix("bytes \(start)-") == true:
            return AttachmentStream(start: start, response.body)
        default:
            let body = try await response.collect(bytesMax: limits.responseBytesMax)
            let answer = Peer.Answer(
                status: response.status, body: body, retryAfterSeconds: response.retryAfterSeconds)
            guard [401, 403, 404, 416].contains(answer.status) else {
                try peer.check(answer, accepting: [])
                throw peer.nonsense("an attachment was answered \(answer.status)")
            }
            // Of this document, not of the whole database.
            let failure = peer.failure(of: document, answer)
            throw ReplicationError(
                .attachmentRefused, "attachment \(attachment.name): \(failure.error): \(failure.reason)",
                status: answer.status)
        }
    }
}

extension ReplicatedDocument {
    /// The bytes of the attachments that are carried, all together.
    var attachmentBytes: Int { attachments.reduce(0) { $0 + $1.length } }
}

extension [ReplicatedDocument] {
    /// The documents in runs whose attachments, in Base64, fit into a number of bytes; at least one in each.
    fileprivate func batches(bytesMax: Int) -> [ArraySlice<ReplicatedDocument>] {
        var batches: [ArraySlice<ReplicatedDocument>] = []
        var rest = self[...]
        while !rest.isEmpty {
            var bytes = 0
            let batch = rest.prefix { document in
                let own = document.text.count + document.attachmentBytes * 4 / 3
                defer { bytes += own }
                return bytes == 0 || bytes + own <= bytesMax
            }
            batches.append(batch)
            rest = rest.dropFirst(batch.count)
        }
        return batches
    }
}

extension [RevisionID] {
    /// The revisions as a list of JSON.
    fileprivate var jsonText: String { "[\(map { "\"\($0)\"" }.joined(separator: ","))]" }
}

extension JSONTape {
    /// The attachments of a document that came after the ancestors that the other side knows.
    fileprivate func neededAttachments(of index: Int, knownAncestors: [RevisionID]) -> [ReplicatedAttachment] {
        guard let members = member("_attachments", of: index), kind(members) == .object else { return [] }
        let known = knownAncestors.filter { isAncestor($0, of: index) }
        return self.members(of: members).compactMap { key, value in
            guard kind(value) == .object, member("stub", of: value).flatMap({ bool($0) }) == true else { return nil }
            // A peer may say anything: what no attachment can have does no harm here.
            let position = member("revpos", of: value).flatMap { int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? Int.max
            let length = member("length", of: value).flatMap { int($0) } ?? 0
            guard !known.contains(where: { $0.generation >= position }) else { return nil }
            return ReplicatedAttachment(
                name: string(key), contentType: text("content_type", of: value),
                length: min(max(0, length), ReplicatedAttachment.lengthMax), digest: text("digest", of: value),
                revisionPosition: position == .max ? 1 : position, isPacked: text("encoding", of: value) == "gzip")
        }
    }

    /// Whether a revision is in the history that a document came with.
    private func isAncestor(_ revision: RevisionID, of index: Int) -> Bool {
        guard let history = member("_revisions", of: index), kind(history) == .object,
            let start = member("start", of: history).flatMap({ int($0) })
        else { return false }
        let hashes = list("ids", of: history)
        let place = start - revision.generation
        guard hashes.indices.contains(place), kind(hashes[place]) == .string else { return false }
        return string(hashes[place]) == revision.hashText
    }
}
