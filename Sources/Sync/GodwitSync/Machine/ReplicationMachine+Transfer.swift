//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import GodwitTransport

extension ReplicationMachine {
    // MARK: Reading revisions

    mutating func readRevisions() {
        var readsInProgress = count { if case .read = $0 { true } else { false } }
        for index in pages.indices where pages[index].state == .compared {
            while readsInProgress < limits.readsInFlightMax, hasCapacityToRead,
                let requested = pages[index].nextBatch(batch.next)
            {
                invariant(!requested.isEmpty, "a request reads a document")
                start(
                    Running(
                        operation: .read(requested, bytesMax: limits.readBytesMax), page: pages[index].number,
                        reservedBytes: limits.readBytesMax))
                readsInProgress += 1
            }
        }
    }

    private var hasCapacityToRead: Bool {
        let reserved = running.values.reduce(0) { $0 + $1.reservedBytes }
        return bytesHeld + reserved == 0 || bytesHeld + reserved + limits.readBytesMax <= limits.bytesInFlightMax
    }

    mutating func read(_ requested: [WantedRevisions], _ answer: RevisionsRead, _ step: Running) {
        var result = answer.restricted(to: requested)
        if isOfLeftOut(step.page) { settleLeftOut(requested, &result) }
        let bytes = result.documents.reduce(0) { $0 + $1.heldBytes }
        batch.took(now - step.began, asked: requested.count, documents: result.documents.count, bytes: bytes)
        counts.documentsRead += result.documents.count
        bytesHeld += bytes
        // The request for one document can have several results: documents, failures and unread revisions. Each result
        // is removed separately from the unsettled revisions of the page, so each result is counted here.
        var resultCounts: [ExactText: Int] = [:]
        for document in result.documents { resultCounts[ExactText(document.id), default: 0] += 1 }
        for failure in result.failures { resultCounts[ExactText(failure.id), default: 0] += 1 }
        for wantedRevisions in result.unread { resultCounts[ExactText(wantedRevisions.id), default: 0] += 1 }
        // Leaves of one document that are read again are separate requests.
        var requestCounts: [ExactText: Int] = [:]
        for wantedRevisions in requested { requestCounts[ExactText(wantedRevisions.id), default: 0] += 1 }
        update(step.page) { page in
            invariant(page.state == .compared, "revisions are read after their page was compared")
            invariant(page.unsettled >= requested.count, "the revisions that were read are not settled")
            for (id, count) in requestCounts { page.unsettled += (resultCounts[id] ?? count) - count }
            page.unreadRevisions = result.unread[...] + page.unreadRevisions
        }
        for document in result.documents {
            let item = Item(page: step.page, document: document)
            if document.isCarried { large.append(item) } else { ready.append(item) }
        }
        for failure in result.failures { fail(failure, failure.revision, of: step.page, isGone: failure.status == 404) }
        for wantedRevisions in requested where resultCounts[ExactText(wantedRevisions.id)] == nil {
            fail(.gone(wantedRevisions), wantedRevisions.revisions.first, of: step.page, isGone: true)
        }
        record()
    }

    /// Removes from the list the revisions that the source does not have any more, or that have a descendant. The
    /// descendant is a later change of the source, so it is not taken from this answer: it may not belong to the
    /// selection.
    private mutating func settleLeftOut(_ requested: [WantedRevisions], _ result: inout RevisionsRead) {
        let asked = Dictionary(requested.map { (ExactText($0.id), Set($0.revisions)) }) { $0.union($1) }
        result.documents.removeAll { asked[ExactText($0.id)]?.contains($0.revision) != true }
        var open: [ExactText: Set<RevisionID>] = [:]
        for document in result.documents { open[ExactText(document.id), default: []].insert(document.revision) }
        for failure in result.failures where failure.status != 404 {
            open[ExactText(failure.id), default: []].formUnion(
                failure.revision.map { [$0] } ?? asked[ExactText(failure.id)] ?? [])
        }
        for unread in result.unread { open[ExactText(unread.id), default: []].formUnion(unread.revisions) }
        for (id, revisions) in asked {
            for revision in revisions where open[id]?.contains(revision) != true { leftOut.remove(id.text, revision) }
        }
    }

    // MARK: Writing

    mutating func writeRevisions() {
        var writesInProgress = count { if case .write = $0 { true } else { false } }
        while !ready.isEmpty, writesInProgress < limits.writesInFlightMax {
            let items = nextBatch()
            start(Running(operation: .write(items.map(\.document), replication: plan.id), items: items))
            writesInProgress += 1
        }
        var carriesInProgress = count { if case .carry = $0 { true } else { false } }
        while !large.isEmpty, carriesInProgress < limits.carriesInFlightMax {
            let item = large.removeFirst()
            start(Running(operation: .carry(item.document, replication: plan.id), items: [item]))
            carriesInProgress += 1
        }
    }

    /// The maximum number of documents in one write request. It is at least the maximum number of documents in one read
    /// request.
    private var writeCount: Int { max(batch.count, 1) }

    /// Takes from ``ready`` as many documents as fit into one request.
    private mutating func nextBatch() -> [Item] {
        var bytes = 0
        let isApart = ready[0].isApart
        let items = Array(
            ready.prefix(isApart ? 1 : writeCount).prefix { item in
                defer { bytes += item.document.heldBytes }
                return bytes == 0 || bytes + item.document.heldBytes <= limits.writeBytesMax && item.isApart == isApart
            })
        invariant(!items.isEmpty, "a request has a document")
        ready.removeFirst(items.count)
        return items
    }

    mutating func written(_ items: [Item], _ failed: [ReplicationFailure]) {
        for item in items {
            let failure = failed.first { failure in
                failure.id.utf8.elementsEqual(item.document.id.utf8)
                    && (failure.revision == nil || failure.revision == item.document.revision)
            }
            if let failure { refused(item, failure) } else { settle(item) }
        }
        record()
    }

    private mutating func settle(_ item: Item) {
        if !repeated.isEmpty { repeated.remove(item.revisionKey) }
        counts.documentsWritten += 1
        invariant(counts.documentsWritten <= counts.documentsRead, "no more documents are written than read")
        if !leftOut.isEmpty { leftOut.remove(item.document.id, item.document.revision) }
        letGo(of: item)
        update(item.page) { $0.unsettled -= 1 }
    }

    /// Counts a document that is not held in memory any more.
    private mutating func letGo(of item: Item) {
        bytesHeld -= item.document.heldBytes
        invariant(bytesHeld >= 0, "a replication holds no fewer than zero bytes")
    }

    private mutating func refused(_ item: Item, _ failure: ReplicationFailure) {
        // The target does not have the bytes of an attachment that was sent as a stub, so the document is read again
        // with all attachments.
        if failure.error == Peer.missingStub, repeated.insert(item.revisionKey).inserted {
            letGo(of: item)
            let request = WantedRevisions(id: item.document.id, revisions: [item.document.revision])
            return update(item.page) { $0.unreadRevisions.append(request) }
        }
        guard failure.isTransient, item.failures + 1 < limits.attemptsMax else { return refusedForGood(item, failure) }
        var item = item
        item.failures += 1
        let operation: Operation =
            item.document.isCarried
            ? .carry(item.document, replication: plan.id) : .write([item.document], replication: plan.id)
        let error = ReplicationError(.peerFailed, failure.reason, status: failure.status)
        again(Running(operation: operation, items: [item], failures: item.failures - 1), error)
    }

    mutating func refusedForGood(_ item: Item, _ failure: ReplicationFailure) {
        if !repeated.isEmpty { repeated.remove(item.revisionKey) }
        letGo(of: item)
        fail(failure, item.document.revision, of: item.page, isGone: false)
    }

    /// Counts a failure.
    ///
    /// - Parameter isGone: Whether the source does not have the revision any more.
    private mutating func fail(
        _ failure: ReplicationFailure, _ revision: RevisionID?, of page: Int, isGone: Bool
    ) {
        let isAgain = isOfLeftOut(page)
        if isGone, isAgain { return update(page) { $0.unsettled -= 1 } }
        let isListed = (isAgain || !failure.isTransient) && !isGone
        let isInList = isListed && (revision.map { leftOut.add(failure.id, $0) } ?? isAgain)
        counts.writeFailures += 1
        if failures.count < limits.failuresMax { failures.append(failure) }
        invariant(failures.count <= counts.writeFailures, "each failure that is listed is counted")
        update(page) { page in
            page.unsettled -= 1
            if isListed, !isInList { page.exceedsLeftOut = true }
            if failure.isTransient, !isAgain { page.isHeld = true }
        }
    }
}

extension ReplicationMachine.Page {
    /// Takes the revisions of the next request from the list, or returns `nil` if the list is empty.
    fileprivate mutating func nextBatch(_ count: Int) -> [WantedRevisions]? {
        invariant(unreadRevisions.count + apart.count <= unsettled, "a revision that is not read is not settled")
        guard unreadRevisions.isEmpty else {
            let batch = unreadRevisions.prefix(count)
            unreadRevisions = unreadRevisions.dropFirst(batch.count)
            return Array(batch)
        }
        return apart.popLast().map { [$0] }
    }
}

extension RevisionsRead {
    /// Returns the result without documents that were not requested.
    fileprivate func restricted(to requested: [WantedRevisions]) -> RevisionsRead {
        let ids = Set(requested.map { ExactText($0.id) })
        var restricted = self
        restricted.documents.removeAll { !ids.contains(ExactText($0.id)) }
        restricted.failures.removeAll { !ids.contains(ExactText($0.id)) }
        restricted.unread.removeAll { !ids.contains(ExactText($0.id)) }
        return restricted
    }
}

extension ReplicationFailure {
    /// The failure of a document that the source no longer has.
    fileprivate static func gone(_ wantedRevisions: WantedRevisions) -> ReplicationFailure {
        ReplicationFailure(
            id: wantedRevisions.id, revision: wantedRevisions.revisions.first, status: 404, error: "not_found",
            reason: "the source does not have this revision any more")
    }
}
