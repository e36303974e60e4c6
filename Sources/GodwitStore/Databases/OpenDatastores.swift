//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A database is in memory from its first use. Its files are open while it is used much (`OpenFiles`); then it rests, and
// opens them again by itself. A hundred thousand that rest would fill the memory, so the one that has rested longest is let
// go when too many are kept. Whoever has it in hand keeps it alive, and the next who asks gets that same one: there are never
// two over one file.

/// The databases of a manager that are in memory, each once.
struct OpenDatastores {
    private struct Slot {
        /// Keeps it; `nil` once it was let go.
        var kept: Datastore?
        weak var datastore: Datastore?
        weak var database: Database?
        /// Which of its entries in the line counts; 0 for none.
        var turn = 0
    }

    private var slots: [String: Slot] = [:]
    /// Those that are kept; who closed its files last stands last. Of one that stands here twice the later entry counts.
    private var line: [(name: String, turn: Int)] = []
    /// How many entries count.
    private var lineCount = 0
    private var lastTurn = 0
    private let keptMax: Int

    init(keptMax: Int) { self.keptMax = keptMax }

    /// All that are alive.
    var all: [Datastore] { slots.values.compactMap { $0.kept ?? $0.datastore ?? $0.database.map { Datastore($0) } } }

    /// The database of a name, kept from now on; `nil` when it is not in memory.
    mutating func datastore(named name: String) -> Datastore? {
        guard let slot = slots[name] else { return nil }
        if let kept = slot.kept { return kept }
        guard let found = slot.datastore ?? slot.database.map({ Datastore($0) }) else {
            forget(name)
            return nil
        }
        slots[name]?.kept = found
        slots[name]?.datastore = found
        join(name)
        return found
    }

    mutating func add(_ datastore: Datastore) {
        forget(datastore.name)
        slots[datastore.name] = Slot(kept: datastore, datastore: datastore, database: datastore.database)
        join(datastore.name)
    }

    /// Takes one out for good.
    ///
    /// - Returns: It, to be closed; `nil` when it is not in memory.
    mutating func remove(_ name: String) -> Datastore? {
        let found = datastore(named: name)
        forget(name)
        return found
    }

    /// Takes a database out, unless another one has its name now.
    mutating func remove(_ database: Database) {
        if slots[database.name]?.database === database { forget(database.name) }
    }

    private mutating func forget(_ name: String) {
        if slots.removeValue(forKey: name)?.turn ?? 0 > 0 { lineCount -= 1 }
    }

    // MARK: The line

    /// A database has closed its files.
    ///
    /// - Returns: Those that rested longest, when too many are kept: to be settled, and then
    ///   ``letGo(_:isDurable:)``.
    mutating func rests(_ database: Database) -> [Datastore] {
        guard slots[database.name]?.database === database else { return [] }
        // One that was let go while somebody had it in hand was used since: it is kept again.
        _ = datastore(named: database.name)
        join(database.name)
        guard lineCount > keptMax else { return [] }
        // Some more than needed: they are settled by one flush.
        let wanted = max(keptMax / 8, 1)
        var taken: [Datastore] = []
        var busy: [String] = []
        var passed = 0
        for (name, turn) in line {
            guard taken.count < wanted, busy.count < wanted else { break }
            passed += 1
            guard let slot = slots[name], slot.turn == turn else { continue }
            guard let kept = slot.kept, kept.database.isQuiet else {
                busy.append(name)
                continue
            }
            slots[name]?.turn = 0
            lineCount -= 1
            taken.append(kept)
        }
        line.removeFirst(passed)
        for name in busy { join(name) }
        return taken
    }

    /// Puts a database at the end of the line.
    private mutating func join(_ name: String) {
        if slots[name]?.turn == 0 { lineCount += 1 }
        lastTurn += 1
        slots[name]?.turn = lastTurn
        if line.count >= 2 * max(keptMax, lineCount) + 64 { tidy() }
        line.append((name, lastTurn))
    }

    /// Takes what no longer counts out of the line, and the names of those that are gone.
    private mutating func tidy() {
        for (name, slot) in slots where slot.kept == nil && slot.database == nil { forget(name) }
        line.removeAll { slots[$0.name]?.turn != $0.turn }
    }

    /// Keeps a database no longer, unless it is used again or whoever opens it next would not read that it is clean.
    ///
    /// - Parameter datastore: It; the caller releases it after this, outside of any lock.
    mutating func letGo(_ datastore: Datastore, isDurable: Bool) {
        let name = datastore.name
        guard let slot = slots[name], slot.kept === datastore, slot.turn == 0 else { return }
        if isDurable, datastore.database.isSettled { slots[name]?.kept = nil } else { join(name) }
    }

    /// Forgets names whose databases are gone.
    mutating func forget(_ names: [String]) {
        for name in names {
            guard let slot = slots[name], slot.kept == nil, slot.database == nil else { continue }
            forget(name)
        }
    }
}
