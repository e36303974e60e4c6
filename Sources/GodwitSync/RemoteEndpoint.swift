//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
import GodwitStore

/// A CouchDB, or anything that speaks its protocol, as one side of a replication.
public struct RemoteEndpoint: DatabaseEndpoint {
    private let url: RemoteURL
    private let peer: Peer
    private let limits: ReplicationLimits

    /// Creates an endpoint for a database elsewhere.
    ///
    /// - Parameters:
    ///   - url: Its address.
    ///   - credentials: Who we are; by default what the URL said.
    ///   - limits: The limits of the replication.
    public init(_ url: RemoteURL, credentials: Credentials? = nil, limits: ReplicationLimits = ReplicationLimits()) {
        self.init(url, credentials: credentials, limits: limits, transport: AsyncHTTPTransport())
    }

    package init(
        _ url: RemoteURL, credentials: Credentials? = nil, limits: ReplicationLimits, transport: any Transport
    ) {
        self.url = url
        self.limits = limits
        peer = Peer(
            url: url.description, credentials: credentials ?? url.credentials, limits: limits, transport: transport)
    }

    /// The URL without credentials.
    public func identity() async throws(ReplicationError) -> String { url.description }

    /// See ``DatabaseEndpoint/open(creating:)``.
    public func open(creating: Bool) async throws(ReplicationError) {
        let found = try await peer.send("GET", "")
        if found.status == 404, creating {
            // 412: someone else made it in between, which is as good.
            return try peer.check(await peer.send("PUT", ""), accepting: [201, 202, 412])
        }
        try peer.check(found, accepting: [200])
    }

    /// See ``DatabaseEndpoint/changes(after:limit:)``.
    public func changes(after sequence: String?, limit: Int) async throws(ReplicationError) -> ChangesPage {
        let since = sequence.map { "&since=\($0.queryEncoded)" } ?? ""
        let answer = try await peer.json("GET", "_changes?style=all_docs&limit=\(limit)\(since)")
        guard let results = answer.member("results", of: 0), let last = answer.member("last_seq", of: 0) else {
            throw peer.nonsense("_changes has no results or last_seq")
        }
        var changes: [RevisionsOfDocument] = []
        for row in answer.elements(of: results) { changes.append(try change(answer, row)) }
        let pending = answer.member("pending", of: 0).flatMap { answer.int($0) } ?? 0
        return ChangesPage(changes: changes, lastSequence: answer.sequence(last), pending: pending)
    }

    private func change(_ answer: JSONTape, _ row: Int) throws(ReplicationError) -> RevisionsOfDocument {
        guard let id = answer.member("id", of: row), let leaves = answer.member("changes", of: row) else {
            throw peer.nonsense("a row of _changes has no id or no changes")
        }
        var revisions: [RevisionID] = []
        for leaf in answer.elements(of: leaves) {
            guard let member = answer.member("rev", of: leaf), let revision = answer.revision(member) else {
                throw peer.nonsense("a row of _changes has no revision")
            }
            revisions.append(revision)
        }
        return RevisionsOfDocument(id: answer.string(id), revisions: revisions)
    }

    /// See ``DatabaseEndpoint/missing(_:)``.
    public func missing(_ revisions: [RevisionsOfDocument]) async throws(ReplicationError) -> [WantedRevisions] {
        var body = JSONObject()
        for document in revisions {
            body[document.id] = .array(document.revisions.map { .string($0.description) })
        }
        let answer = try await peer.json("POST", "_revs_diff", body: JSONValue.object(body).jsonBytes())
        return answer.members(of: 0).map { key, value in
            WantedRevisions(
                id: answer.string(key), revisions: answer.revisions("missing", of: value),
                knownAncestors: answer.revisions("possible_ancestors", of: value))
        }
    }

    /// See ``DatabaseEndpoint/read(_:)``. An answer above `responseBytesMax` is asked for again in halves.
    public func read(_ wanted: [WantedRevisions]) async throws(ReplicationError) -> [ReplicatedDocument] {
        do throws(ReplicationError) {
            return try await bulkGet(wanted)
        } catch  where error.code == .tooLarge && wanted.count > 1 {
            let middle = wanted.count / 2
            let first = try await read(Array(wanted[..<middle]))
            return first + (try await read(Array(wanted[middle...])))
        }
    }

    private func bulkGet(_ wanted: [WantedRevisions]) async throws(ReplicationError) -> [ReplicatedDocument] {
        var items: [JSONValue] = []
        for document in wanted {
            let known = JSONValue.array(document.knownAncestors.map { .string($0.description) })
            for revision in document.revisions {
                items.append(["id": .string(document.id), "rev": .string(revision.description), "atts_since": known])
            }
        }
        let body = (["docs": .array(items)] as JSONValue).jsonBytes()
        let answer = try await peer.json("POST", "_bulk_get?revs=true&latest=true&attachments=true", body: body)
        guard let results = answer.member("results", of: 0) else { throw peer.nonsense("_bulk_get has no results") }
        var documents: [ReplicatedDocument] = []
        for result in answer.elements(of: results) {
            guard let found = answer.member("docs", of: result) else { continue }
            for entry in answer.elements(of: found) {
                // A row without `ok` names a revision that is gone; the machine sees that nothing came for it.
                guard let document = answer.member("ok", of: entry) else { continue }
                guard let id = answer.member("_id", of: document), let member = answer.member("_rev", of: document),
                    let revision = answer.revision(member)
                else { throw peer.nonsense("a document of _bulk_get has no _id or _rev") }
                documents.append(
                    ReplicatedDocument(
                        id: answer.string(id), revision: revision, text: Array(answer.slice(document))))
            }
        }
        return documents
    }

    /// See ``DatabaseEndpoint/write(_:replication:)``.
    public func write(
        _ documents: [ReplicatedDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure] {
        var failures: [ReplicationFailure] = []
        var rest = documents[...]
        while !rest.isEmpty {
            let batch = rest.prefix(bytesMax: limits.writeBytesMax)
            rest = rest.dropFirst(batch.count)
            failures += try await writeBatch(Array(batch))
        }
        return failures
    }

    private func writeBatch(_ batch: [ReplicatedDocument]) async throws(ReplicationError) -> [ReplicationFailure] {
        var body = Array("{\"new_edits\":false,\"docs\":[".utf8)
        for (place, document) in batch.enumerated() {
            if place > 0 { body.append(UInt8(ascii: ",")) }
            body += document.text
        }
        body += "]}".utf8
        let response = try await peer.send("POST", "_bulk_docs", body: body)
        // A request that is refused as a whole because of one document is repeated in halves, down to that document.
        if [400, 412, 413].contains(response.status) {
            guard batch.count > 1 else { return [peer.failure(of: batch[0], response)] }
            let middle = batch.count / 2
            let first = try await writeBatch(Array(batch[..<middle]))
            return first + (try await writeBatch(Array(batch[middle...])))
        }
        try peer.check(response, accepting: [200, 201, 202])
        return try failures(peer.tape(response))
    }

    private func failures(_ answer: JSONTape) throws(ReplicationError) -> [ReplicationFailure] {
        answer.elements(of: 0).compactMap { row in
            guard let error = answer.member("error", of: row) else { return nil }
            return ReplicationFailure(
                id: answer.text("id", of: row), revision: answer.member("rev", of: row).flatMap { answer.revision($0) },
                status: answer.member("status", of: row).flatMap { answer.int($0) }
                    ?? Peer.status(of: answer.string(error)),
                error: answer.string(error), reason: answer.text("reason", of: row))
        }
    }

    /// See ``DatabaseEndpoint/checkpoint(_:)``.
    public func checkpoint(_ id: String) async throws(ReplicationError) -> JSONObject? {
        let response = try await peer.send("GET", "_local/\(id)")
        guard response.status != 404 else { return nil }
        try peer.check(response, accepting: [200])
        return try? JSONValue(parsing: response.body).objectValue
    }

    /// See ``DatabaseEndpoint/saveCheckpoint(_:_:)``.
    public func saveCheckpoint(_ id: String, _ body: JSONObject) async throws(ReplicationError) {
        var body = body
        if let current = try await checkpoint(id)?["_rev"] { body["_rev"] = current }
        let response = try await peer.send("PUT", "_local/\(id)", body: JSONValue.object(body).jsonBytes())
        try peer.check(response, accepting: [200, 201, 202])
    }
}

extension ArraySlice<ReplicatedDocument> {
    /// The documents from the start that fit into a number of bytes; at least one.
    fileprivate func prefix(bytesMax: Int) -> ArraySlice {
        var bytes = 0
        return prefix { document in
            defer { bytes += document.text.count }
            return bytes == 0 || bytes + document.text.count <= bytesMax
        }
    }
}
