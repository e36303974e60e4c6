//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Who made a change.
public enum ChangeSource: Hashable, Sendable {
    /// This process, through its own calls.
    case local
    /// A replication, by its id.
    case replication(String)
    /// A conflict resolver that runs by itself.
    case resolver
}

/// A change that was committed a moment ago, for those who wait for it.
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

/// The last changes of a database, so that ten thousand who wait for one do not read it from the file ten thousand times.
struct RecentChanges: Sendable {
    private var changes: [RecentChange] = []
    /// Where in `changes` the last one of each document is.
    private var places: [String: Int] = [:]
    /// All changes after this number are here.
    private(set) var start: Int64

    init(start: Int64) { self.start = start }

    /// Adds the changes of a commit.
    ///
    /// - Parameters:
    ///   - added: In the order of their sequences; empty when nobody watched.
    ///   - before: The last number before the commit.
    ///   - after: The last number with it.
    mutating func add(_ added: [RecentChange], before: Int64, after: Int64) {
        guard after > before else { return }
        // After a commit that nobody watched, or one too long to keep, the list begins anew.
        guard !added.isEmpty, added.count <= StoreLimits.recentChangesMax else {
            self = RecentChanges(start: after)
            return
        }
        if changes.count + added.count > StoreLimits.recentChangesMax { self = RecentChanges(start: before) }
        for change in added {
            places[change.storedID] = changes.count
            changes.append(change)
        }
    }

    /// The changes after a number, each document once; `nil` when some of them are no longer here.
    func after(_ sequence: Int64, rowsMax: Int) -> [RecentChange]? {
        guard sequence >= start else { return nil }
        // They are in the order of their numbers.
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].sequence > sequence { high = middle } else { low = middle + 1 }
        }
        return changes[low...].indices.lazy.filter { places[changes[$0].storedID] == $0 }.prefix(rowsMax)
            .map { changes[$0] }
    }
}
