//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitStore
import GodwitTransport

extension CouchDatabase {
    /// See ``DocumentStore/changes(since:limit:live:withDocuments:where:)``.
    ///
    /// After a lost connection, the iteration throws ``StoreError/Code/unreachable``. You can continue from the
    /// sequence of the last change. The changes of a server have no ``Change/source``.
    public func changes(
        since sequence: UpdateSequence = .zero, limit: Int = .max, live: Bool = true, withDocuments: Bool = false,
        where isIncluded: (@Sendable (Change) -> Bool)? = nil
    ) -> Changes {
        Changes(
            database: self, since: sequence, limit: limit, isLive: live, hasDocuments: withDocuments,
            isIncluded: isIncluded)
    }

    /// The changes of a database on a server.
    public struct Changes: AsyncSequence, Sendable {
        /// A document that changed.
        public typealias Element = Change

        let database: CouchDatabase
        let since: UpdateSequence
        let limit: Int
        let isLive: Bool
        let hasDocuments: Bool
        let isIncluded: (@Sendable (Change) -> Bool)?

        /// Reads from the sequence that the feed was created with.
        public func makeAsyncIterator() -> Iterator { Iterator(feed: self, lastSequence: since, remainingCount: limit) }

        /// Reads the changes page by page.
        public struct Iterator: AsyncIteratorProtocol {
            let feed: Changes
            /// The sequence after which the next page begins: the last sequence of the last page that was read.
            var lastSequence: UpdateSequence
            var remainingCount: Int
            var page: ArraySlice<Change> = []
            /// Whether the last page reached the end of the feed.
            var isAtEnd = false

            /// Waits for the next change, and returns it. Returns `nil` when the limit is reached, when the task is
            /// cancelled, and at the end of a feed that is not live.
            public mutating func next() async throws -> Change? {
                guard remainingCount > 0 else { return nil }
                while true {
                    while let change = page.popFirst() {
                        guard feed.isIncluded?(change) != false else { continue }
                        remainingCount -= 1
                        return change
                    }
                    guard !Task.isCancelled, feed.isLive || !isAtEnd else { return nil }
                    do throws(StoreError) {
                        try await readPage()
                    } catch {
                        guard Task.isCancelled else { throw error }
                        return nil
                    }
                }
            }

            private mutating func readPage() async throws(StoreError) {
                let waits = isAtEnd
                let nextPage = try await feed.database.page(
                    after: lastSequence, rowsMax: feed.isIncluded == nil ? remainingCount : .max, waits: waits,
                    feed.hasDocuments)
                // If a server or a proxy returns an empty page without waiting for a change, the next request must not
                // follow at once.
                if waits, nextPage.changes.isEmpty {
                    try? await Task.sleep(for: .seconds(feed.database.limits.retrySeconds))
                }
                (page, lastSequence, isAtEnd) = (nextPage.changes[...], nextPage.last, nextPage.isAtEnd)
            }
        }
    }

    /// The longest wait for a change, in seconds. Missing heartbeats reveal a dead server earlier.
    private static let waitSecondsMax = 7 * 86_400

    private func page(
        after sequence: UpdateSequence, rowsMax: Int, waits: Bool, _ hasDocuments: Bool
    ) async throws(StoreError) -> (changes: [Change], last: UpdateSequence, isAtEnd: Bool) {
        var limit = min(rowsMax, limits.changesPerPageMax)
        while true {
            var path = "_changes?style=all_docs&limit=\(limit)&since=\(sequence.description.percentEncoded)"
            path += "&heartbeat=\(limits.heartbeatSeconds * 1_000)"
            if waits { path += "&feed=longpoll" }
            if hasDocuments { path += "&include_docs=true&att_encoding_info=true" }
            do throws(StoreError) {
                let answer = try await json(
                    .other("its changes"), "GET", path, secondsMax: CouchDatabase.waitSecondsMax)
                return try page(answer, limit, hasDocuments)
            } catch {
                guard error.code == .answerTooLarge, limit > 1 else { throw error }
                limit /= 2
            }
        }
    }

    private func page(
        _ answer: JSONTape, _ limit: Int, _ hasDocuments: Bool
    ) throws(StoreError) -> (changes: [Change], last: UpdateSequence, isAtEnd: Bool) {
        guard answer.kind(0) == .object, let results = answer.member("results", of: 0),
            answer.kind(results) == .array, let last = answer.member("last_seq", of: 0)
        else { throw nonsense("_changes has no results or last_seq") }
        var changes: [Change] = []
        for row in answer.elements(of: results) { changes.append(try change(answer, row, hasDocuments)) }
        let pending = answer.member("pending", of: 0).flatMap { answer.int($0) }
        return (
            changes, UpdateSequence(ofPeer: answer.sequence(last)), pending.map { $0 == 0 } ?? (changes.count < limit)
        )
    }

    private func change(_ answer: JSONTape, _ row: Int, _ hasDocuments: Bool) throws(StoreError) -> Change {
        let leaves = answer.list("changes", of: row).compactMap { leaf in
            answer.kind(leaf) == .object ? answer.member("rev", of: leaf).flatMap { answer.revision($0) } : nil
        }
        guard let sequence = answer.member("seq", of: row), let winner = leaves.first,
            let id = answer.member("id", of: row), answer.kind(id) == .string
        else { throw nonsense("a row of _changes has no seq, no id or no revision") }
        var document: Document?
        if hasDocuments, let documentIndex = answer.member("doc", of: row), answer.kind(documentIndex) == .object {
            document = try answer.document(documentIndex, of: url)
        }
        return Change(
            sequence: UpdateSequence(ofPeer: answer.sequence(sequence)), id: answer.string(id), revision: winner,
            isDeleted: answer.isTrue("deleted", of: row), leaves: leaves, source: nil, document: document)
    }
}
