//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
import GodwitStore
public import GodwitTransport

extension RemoteEndpoint {
    /// See ``DatabaseEndpoint/changes(_:)``. A page that is longer than `changesBytesMax` is requested again with fewer
    /// changes.
    public func changes(_ query: ChangesQuery) async throws(ReplicationError) -> ChangesPage {
        var query = query
        while true {
            do throws(ReplicationError) {
                return try await page(query)
            } catch {
                guard error.code == .tooLarge, query.limit > 1 else { throw error }
                query.limit /= 2
            }
        }
    }

    private func page(_ query: ChangesQuery) async throws(ReplicationError) -> ChangesPage {
        var parameters = "style=\(query.selection.winnersOnly ? "main_only" : "all_docs")&limit=\(query.limit)"
        parameters += "&heartbeat=\(limits.heartbeatSeconds * 1_000)"
        // Only the sequence of the last change is used. The server is asked to omit the other sequences, because a
        // cluster needs much time to compute each sequence.
        parameters += "&seq_interval=\(query.limit)"
        if let after = query.after { parameters += "&since=\(after.percentEncoded)" }
        if query.waits { parameters += "&feed=longpoll" }
        var body: JSONValue?
        switch query.selection.choice {
        case .everything: break
        case .ids(let ids):
            parameters += "&filter=_doc_ids"
            body = ["doc_ids": .array(ids.map { .string($0) })]
        case .selector(let selector):
            parameters += "&filter=_selector"
            body = ["selector": selector.normalized]
        case .function(let name, let functionParameters):
            parameters += "&filter=\(name.percentEncoded)"
            for (parameterName, value) in functionParameters.sorted(by: { $0.key < $1.key }) {
                parameters += "&\(parameterName.percentEncoded)=\(value.percentEncoded)"
            }
        case .closure:
            throw ReplicationError(
                .invalidSelection,
                "a Swift function can only filter local documents. Use a selector for \(url).")
        }
        let answer = try await peer.json(
            body == nil ? "GET" : "POST", "_changes?\(parameters)", body: body?.jsonBytes(),
            bytesMax: query.limit > 1 ? limits.changesBytesMax : limits.changeBytesMax,
            secondsMax: RemoteEndpoint.waitSecondsMax)
        return try page(answer, query)
    }

    /// The longest wait for a change, in seconds. Missing heartbeats reveal a dead server earlier.
    private static let waitSecondsMax = 7 * 86_400

    private func page(_ answer: JSONTape, _ query: ChangesQuery) throws(ReplicationError) -> ChangesPage {
        guard answer.kind(0) == .object, let results = answer.member("results", of: 0),
            answer.kind(results) == .array, let last = answer.member("last_seq", of: 0)
        else { throw peer.nonsense("_changes has no results or last_seq") }
        var changes: [RevisionsOfDocument] = []
        for row in answer.elements(of: results) { changes.append(try change(answer, row)) }
        let pending = answer.member("pending", of: 0).flatMap { answer.int($0) }.map { max($0, 0) }
        return ChangesPage(
            changes: changes, lastSequence: answer.sequence(last), pending: pending ?? 0,
            isLast: pending.map { $0 == 0 } ?? (changes.count < query.limit))
    }

    private func change(_ answer: JSONTape, _ row: Int) throws(ReplicationError) -> RevisionsOfDocument {
        guard answer.kind(row) == .object, let id = answer.member("id", of: row), answer.kind(id) == .string,
            let leaves = answer.member("changes", of: row), answer.kind(leaves) == .array
        else { throw peer.nonsense("a row of _changes has no id or no changes") }
        var revisions: [RevisionID] = []
        for leaf in answer.elements(of: leaves) {
            guard answer.kind(leaf) == .object, let member = answer.member("rev", of: leaf),
                let revision = answer.revision(member)
            else { throw peer.nonsense("a row of _changes has no revision") }
            revisions.append(revision)
        }
        return RevisionsOfDocument(id: answer.string(id), revisions: revisions)
    }
}
