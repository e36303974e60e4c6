//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The origin of a change.
public enum ChangeSource: Hashable, Sendable {
    /// A call in this process.
    case local
    /// A replication with this id.
    case replication(String)
    /// An automatic conflict resolver.
    case resolver
}

/// A recently committed change, for waiting feeds.
struct RecentChange: Sendable {
    let sequence: Int64
    let storedID: String
    let winner: RevisionTree.Leaf
    let otherLeaves: [RevisionTree.Leaf]
    let source: ChangeSource

    init(row: DocumentRow, storedID: String, source: ChangeSource) {
        sequence = row.sequence
        self.storedID = storedID
        winner = row.winner
        otherLeaves = row.otherLeaves
        self.source = source
    }
}

/// The last changes of a database in memory, so that many waiting feeds need not read these changes from the file.
struct RecentChanges: Sendable {
    private var changes: [RecentChange] = []
    /// The index in `changes` of each document's last change.
    private var lastIndexes: [ExactText: Int] = [:]
    /// The sequence number after which all changes are in memory.
    private(set) var start: Int64

    init(start: Int64) { self.start = start }

    /// Adds the changes of a commit.
    ///
    /// - Parameters:
    ///   - added: The changes in the order of their sequences; empty if no feed was waiting.
    ///   - before: The last number before the commit.
    ///   - after: The last number of the commit.
    mutating func add(_ added: [RecentChange], before: Int64, after: Int64) {
        guard after > before else { return }
        invariant(
            added.first.map { $0.sequence > before } ?? true && added.last.map { $0.sequence <= after } ?? true,
            "the changes of a commit have its numbers")
        // If no feed waited for this commit, or the commit has too many changes, the list becomes empty and starts
        // after the commit.
        guard !added.isEmpty, added.count <= StoreLimits.recentChangesMax else {
            self = RecentChanges(start: after)
            return
        }
        if changes.count + added.count > StoreLimits.recentChangesMax { self = RecentChanges(start: before) }
        for change in added {
            lastIndexes[ExactText(change.storedID)] = changes.count
            invariant(
                changes.last.map { $0.sequence < change.sequence } ?? true, "recent changes ascend by their sequences")
            changes.append(change)
        }
        invariant(changes.count <= StoreLimits.recentChangesMax, "the list of recent changes keeps its limit")
    }

    /// The changes after `sequence`, each document once; `nil` if some of them are no longer in memory.
    func after(_ sequence: Int64, rowsMax: Int) -> [RecentChange]? {
        guard sequence >= start else { return nil }
        // The changes are sorted by their sequences, so a binary search finds the first change.
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].sequence > sequence { high = middle } else { low = middle + 1 }
        }
        return changes[low...].indices.lazy.filter { lastIndexes[ExactText(changes[$0].storedID)] == $0 }
            .prefix(rowsMax).map { changes[$0] }
    }
}
