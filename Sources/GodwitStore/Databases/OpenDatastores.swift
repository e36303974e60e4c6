//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A database is in memory from its first use. Its files are open while it is used often (`OpenFiles`). Then they are
// closed, and open again on the next use. Too many idle databases would fill the memory, so the database that is idle
// longest is released when more than `keptMax` are kept. A reference elsewhere keeps the database alive, and the next
// request gets the same object: two objects never use the same file.

/// The databases of a manager that are in memory, one object for each.
struct OpenDatastores {
    private struct Slot {
        /// The strong reference; `nil` after the database was released.
        var kept: Datastore?
        weak var datastore: Datastore?
        weak var database: Database?
        /// The number of the valid entry in the queue; 0 for none.
        var turn = 0
    }

    private var slots: [String: Slot] = [:]
    /// The queue of kept databases. The database that closed its files last is at the end. If a name has several
    /// entries, only the last one is valid.
    private var line: [(name: String, turn: Int)] = []
    /// The number of valid entries in the queue.
    private var lineCount = 0
    private var lastTurn = 0
    private let keptMax: Int

    init(keptMax: Int) { self.keptMax = keptMax }

    /// All databases in memory.
    var all: [Datastore] { slots.values.compactMap { $0.kept ?? $0.datastore ?? $0.database.map { Datastore($0) } } }

    /// The database with a name, which is kept from now on; `nil` if it is not in memory.
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

    /// Removes a database by name.
    ///
    /// - Returns: The database, for the caller to close; `nil` if it is not in memory.
    mutating func remove(_ name: String) -> Datastore? {
        let found = datastore(named: name)
        forget(name)
        return found
    }

    /// Removes a database, unless another object has its name now.
    mutating func remove(_ database: Database) {
        if slots[database.name]?.database === database { forget(database.name) }
    }

    private mutating func forget(_ name: String) {
        if slots.removeValue(forKey: name)?.turn ?? 0 > 0 { lineCount -= 1 }
    }

    // MARK: The queue of idle databases

    /// Moves a database that has closed its files to the end of the queue.
    ///
    /// - Returns: The databases that are idle longest, if too many are kept. The caller settles them and then calls
    ///   ``unreference(_:isDurable:)``.
    mutating func rests(_ database: Database) -> [Datastore] {
        guard slots[database.name]?.database === database else { return [] }
        // A database that was released while referenced elsewhere was used since: it is kept again.
        _ = datastore(named: database.name)
        join(database.name)
        guard lineCount > keptMax else { return [] }
        // Take more than needed, because one flush settles all of them.
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

    /// Adds a database to the end of the queue.
    private mutating func join(_ name: String) {
        if slots[name]?.turn == 0 { lineCount += 1 }
        lastTurn += 1
        slots[name]?.turn = lastTurn
        if line.count >= 2 * max(keptMax, lineCount) + 64 { tidy() }
        line.append((name, lastTurn))
    }

    /// Removes invalid entries from the queue, and the names of deallocated databases.
    private mutating func tidy() {
        for (name, slot) in slots where slot.kept == nil && slot.database == nil { forget(name) }
        line.removeAll { slots[$0.name]?.turn != $0.turn }
    }

    /// Releases a database, unless it was used again or its clean mark is not durable.
    ///
    /// - Parameter datastore: The database. The caller drops its own reference afterwards, outside of any lock.
    mutating func unreference(_ datastore: Datastore, isDurable: Bool) {
        let name = datastore.name
        guard let slot = slots[name], slot.kept === datastore, slot.turn == 0 else { return }
        if isDurable, datastore.database.isSettled { slots[name]?.kept = nil } else { join(name) }
    }

    /// Removes the names of deallocated databases.
    mutating func forget(_ names: [String]) {
        for name in names {
            guard let slot = slots[name], slot.kept == nil, slot.database == nil else { continue }
            forget(name)
        }
    }
}
