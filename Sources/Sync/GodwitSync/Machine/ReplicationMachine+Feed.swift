//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport

extension ReplicationMachine {
    /// The position in the source's changes.
    struct Feed: Sendable {
        var sequence: String?
        var isReading = false
        /// Whether the last page of changes reached the end of the changes.
        var isCaughtUp = false
        /// The number of changes after the last page.
        var pending = 0
        /// The maximum number of changes in a request. A failed request lowers the number, and successful requests
        /// raise it again.
        var limit = Int.max
    }

    /// A page of changes that is being processed.
    struct Page: Sendable {
        enum State { case listed, comparing, compared }

        let number: Int
        let changes: Int
        let lastSequence: String
        /// The revisions to compare with the target.
        var rows: [RevisionsOfDocument]
        var state = State.listed
        /// The revisions that the target does not have and that no step reads yet.
        var unreadRevisions: ArraySlice<WantedRevisions> = []
        /// The revisions to read one by one, because a request for several of them failed.
        var apart: [WantedRevisions] = []
        /// The number of documents whose missing revisions are not read yet, plus the number of revisions that were
        /// read but are neither written nor failed.
        var unsettled = 0
        /// Whether a document of the page had a transient failure. In that case, the sequence of the page is not
        /// recorded.
        var isHeld = false
        /// Whether a revision of the page did not fit into the list of revisions that were left out.
        var exceedsLeftOut = false
        /// Whether the page consists of revisions that an earlier run left out.
        var isOfLeftOut = false

        var isDone: Bool { state == .compared && unsettled == 0 }
        var changesSettled: Int { state == .compared ? max(0, changes - unsettled) : 0 }
    }

    /// The maximum number of pages that are compared at a time.
    private static let comparesInFlightMax = 2

    // MARK: Start

    mutating func loaded(_ checkpoints: [(source: JSONObject?, target: JSONObject?)]) {
        invariant(stage == .beginning && pages.isEmpty, "checkpoints are read before the first changes")
        saved = checkpoints.first.flatMap { Checkpoint.common($0.source, $0.target) }
        if let saved, canTrustLeftOut(checkpoints[0]) {
            savedLeftOut = LeftOut(of: checkpoints[0].source, checkpoints[0].target)
            leftOut = savedLeftOut
            startSequence = saved
        } else {
            // Documents that the replication without a selection left out may belong to the selection.
            startSequence =
                checkpoints.dropFirst().filter { LeftOut(of: $0.source, $0.target).isEmpty }
                .compactMap { Checkpoint.common($0.source, $0.target) }.first ?? plan.selection.since
        }
        feed.sequence = startSequence
        recorded = startSequence
        earlier = Checkpoint.history(checkpoints.first?.source ?? checkpoints.first?.target)
        savedAt = now - limits.checkpointSecondsMin
        stage = .replicating
        compareInstancesLater()
        tryLeftOutAgain()
    }

    /// Whether the list of the checkpoints may be used. A replication of a selection must not send a document because
    /// its id was written into the target's checkpoint. So it uses the list only if both sides have the same, and
    /// otherwise compares all changes again.
    private func canTrustLeftOut(_ checkpoint: (source: JSONObject?, target: JSONObject?)) -> Bool {
        plan.selection.isEverything || LeftOut(of: checkpoint.source) == LeftOut(of: checkpoint.target)
    }

    /// Adds a page of the revisions that earlier runs left out.
    private mutating func tryLeftOutAgain() {
        let changes = leftOut.changes
        guard let startSequence, !changes.isEmpty else { return }
        counts.missingChecked += changes.reduce(0) { $0 + $1.revisions.count }
        var page = Page(number: nextPage, changes: 0, lastSequence: startSequence, rows: changes)
        page.isOfLeftOut = true
        invariant(pages.isEmpty, "revisions that were left out are the first page")
        pages.append(page)
        nextPage += 1
    }

    // MARK: Listing

    mutating func readFeed() {
        guard !feed.isReading, pages.count < limits.pagesInFlightMax, plan.isContinuous || !feed.isCaughtUp else {
            return
        }
        invariant(feed.limit > 0, "a page of changes has room for a change")
        feed.isReading = true
        start(
            Running(
                operation: .readChanges(
                    ChangesQuery(
                        after: feed.sequence, limit: min(feed.limit, limits.changesPerPageMax), waits: feed.isCaughtUp,
                        selection: plan.selection))))
    }

    mutating func listed(_ page: ChangesPage, _ query: ChangesQuery, _ step: Running) {
        invariant(feed.isReading, "a page of changes was asked for")
        feed.isReading = false
        guard page.changes.isEmpty || !ExactText.areEqual(page.lastSequence, query.after) else {
            feed.isReading = true
            return again(step, ReplicationError(.badResponse, "the sequence of the source's changes does not advance"))
        }
        let half = limits.changesPerPageMax / 2
        feed.limit = feed.limit > half ? max(feed.limit, limits.changesPerPageMax) : feed.limit * 2
        feed.isCaughtUp = page.isLast
        feed.pending = page.pending
        guard !ExactText.areEqual(page.lastSequence, query.after) else { return }
        feed.sequence = page.lastSequence
        invariant(pages.last.map { $0.number < nextPage } ?? true, "pages are in the order of their numbers")
        // A revision that an earlier run left out is tried again by its own page.
        let rows = pages.contains(where: \.isOfLeftOut) ? leftOut.removing(from: page.changes) : page.changes
        counts.missingChecked += rows.reduce(0) { $0 + $1.revisions.count }
        pages.append(
            Page(
                number: nextPage, changes: page.changes.count, lastSequence: page.lastSequence, rows: rows,
                state: rows.isEmpty ? .compared : .listed))
        invariant(pages.count <= max(limits.pagesInFlightMax, 1), "the queue of pages keeps its limit")
        nextPage += 1
        record()
    }

    // MARK: Comparing

    mutating func compare() {
        var inProgress = pages.count { $0.state == .comparing }
        for index in pages.indices where pages[index].state == .listed {
            guard inProgress < ReplicationMachine.comparesInFlightMax else { return }
            inProgress += 1
            invariant(pages[index].unsettled == 0, "a page that is not compared has no unsettled revisions")
            pages[index].state = .comparing
            start(Running(operation: .findMissing(pages[index].rows), page: pages[index].number))
            pages[index].rows = []
        }
    }

    mutating func compared(_ step: Running, _ rows: [RevisionsOfDocument], _ wanted: [WantedRevisions]) {
        let number = step.page
        if isOfLeftOut(number) {
            // The target has the other revisions.
            let missing = Dictionary(wanted.map { (ExactText($0.id), Set($0.revisions)) }) { $0.union($1) }
            for row in rows {
                for revision in row.revisions where missing[ExactText(row.id)]?.contains(revision) != true {
                    leftOut.remove(row.id, revision)
                }
            }
        }
        counts.missingFound += wanted.reduce(0) { $0 + $1.revisions.count }
        update(number) { page in
            invariant(page.state == .comparing && page.unsettled == 0, "a page is compared once")
            page.state = .compared
            invariant(page.unreadRevisions.isEmpty && page.apart.isEmpty, "nothing is read before it is compared")
            page.unreadRevisions = wanted[...]
            page.unsettled = wanted.count
        }
        record()
    }

    /// Whether a page consists of revisions that an earlier run left out.
    func isOfLeftOut(_ number: Int) -> Bool { pages.contains { $0.number == number && $0.isOfLeftOut } }

    /// Changes a page that is being processed.
    mutating func update(_ number: Int, _ change: (inout Page) -> Void) {
        guard let index = pages.firstIndex(where: { $0.number == number }) else {
            preconditionFailure("a page of a replication ended before all of its work was done")
        }
        change(&pages[index])
        invariant(pages[index].unsettled >= 0, "no more changes of a page are settled than it has")
    }
}
