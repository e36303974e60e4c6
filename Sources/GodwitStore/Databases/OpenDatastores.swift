//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A database is in memory from its first use. Its files are open while it is used much (`OpenFiles`); then it rests, and
// opens them again by itself. A hundred thousand that rest would fill the memory, so the one that has rested longest is let
// go when too many do. Whoever has it in hand keeps it alive, and the next who asks gets that same one: there are never
// two over one file.

/// The databases of a manager that are in memory, each once.
struct OpenDatastores {
    private struct Slot {
        /// Keeps it; `nil` once it was let go.
        var kept: Datastore?
        weak var datastore: Datastore?
        weak var database: Database?
        /// Which of its entries in the line of those that rest counts; 0 for none.
        var turn = 0
    }

    private var slots: [String: Slot] = [:]
    /// Those that rest, longest first. One that rested again since stands here twice, of which the later counts.
    private var resting: [(name: String, turn: Int)] = []
    private var restingCount = 0
    private var lastTurn = 0
    private let restingMax: Int

    init(restingMax: Int) { self.restingMax = restingMax }

    /// All that are alive.
    var all: [Datastore] { slots.values.compactMap { $0.kept ?? $0.datastore ?? $0.database.map { Datastore($0) } } }

    /// The database of a name, kept from now on; `nil` when it is not in memory.
    mutating func datastore(named name: String) -> Datastore? {
        guard let slot = slots[name] else { return nil }
        if let kept = slot.kept { return kept }
        guard let found = slot.datastore ?? slot.database.map({ Datastore($0) }) else {
            slots[name] = nil
            return nil
        }
        slots[name]?.kept = found
        slots[name]?.datastore = found
        return found
    }

    mutating func add(_ datastore: Datastore) {
        slots[datastore.name] = Slot(kept: datastore, datastore: datastore, database: datastore.database)
    }

    /// Takes one out for good.
    ///
    /// - Returns: It, to be closed; `nil` when it is not in memory.
    mutating func remove(_ name: String) -> Datastore? {
        let found = datastore(named: name)
        if slots.removeValue(forKey: name)?.turn ?? 0 > 0 { restingCount -= 1 }
        return found
    }

    /// Takes a database out, unless another one has its name now.
    mutating func remove(_ database: Database) {
        if slots[database.name]?.database === database { _ = remove(database.name) }
    }

    // MARK: Those that rest

    /// A database has closed its files.
    ///
    /// - Returns: Those that rested longest, when too many do: to be settled, and then ``letGo(_:)``.
    mutating func rests(_ database: Database) -> [Datastore] {
        guard slots[database.name]?.database === database else { return [] }
        if slots[database.name]?.turn == 0 { restingCount += 1 }
        lastTurn += 1
        slots[database.name]?.turn = lastTurn
        if resting.count >= 2 * restingMax + 64 { resting.removeAll { slots[$0.name]?.turn != $0.turn } }
        resting.append((database.name, lastTurn))
        guard restingCount > restingMax else { return [] }
        // Some more than needed: they are settled by one flush.
        let wanted = max(restingMax / 8, 1)
        var (taken, passed) = ([Datastore](), 0)
        for (name, turn) in resting {
            guard taken.count < wanted else { break }
            passed += 1
            guard let slot = slots[name], slot.turn == turn else { continue }
            slots[name]?.turn = 0
            restingCount -= 1
            if let kept = slot.kept, kept.database.isQuiet { taken.append(kept) }
        }
        resting.removeFirst(passed)
        return taken
    }

    /// Keeps a database no longer, unless it is used again.
    ///
    /// - Parameter datastore: It; the caller releases it after this, outside of any lock.
    mutating func letGo(_ datastore: Datastore) {
        let name = datastore.name
        guard datastore.database.isSettled, slots[name]?.kept === datastore else { return }
        slots[name]?.kept = nil
    }

    /// Forgets names whose databases are gone.
    mutating func forget(_ names: [String]) {
        for name in names {
            guard let slot = slots[name], slot.kept == nil, slot.database == nil else { continue }
            slots[name] = nil
        }
    }
}
