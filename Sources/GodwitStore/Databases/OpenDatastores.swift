//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A database is in memory from its first use. `OpenFiles` closes the files of the least recently used databases, and
// the next use opens them again. A database with closed files still needs memory. So `OpenDatastores` has a queue of
// the databases that it keeps in memory with a strong reference. If the queue contains more than `keptMax` databases
// when one closes its files, the first idle ones in the queue are released. A database joins the end of the queue when
// it is added, when it is requested after its release, when it closes its files, and when it was to be released but was
// in use.
//
// A reference elsewhere keeps a released `Database` alive. The next request then uses the same `Database`, possibly
// with a new `Datastore`: two `Database` objects never use the same file.

/// The databases of a manager that are in memory, one `Database` object for each.
struct OpenDatastores {
    private struct Slot {
        /// The strong reference; `nil` after the database was released.
        var kept: Datastore?
        weak var datastore: Datastore?
        weak var database: Database?
        /// The number of the valid entry in the queue; 0 if the queue does not contain the database.
        var turn = 0
    }

    private var slots: [String: Slot] = [:]
    /// The queue of databases with a strong reference; the database that joined last is at the end. If a name has
    /// several entries, only the last entry is valid.
    private var line: [(name: String, turn: Int)] = []
    /// The number of valid entries in the queue.
    private var lineCount = 0
    private var lastTurn = 0
    private let keptMax: Int

    init(keptMax: Int) { self.keptMax = keptMax }

    /// All databases in memory.
    var all: [Datastore] { slots.values.compactMap { $0.kept ?? $0.datastore ?? $0.database.map { Datastore($0) } } }

    /// Returns the database with a name and keeps a strong reference to it; `nil` if the database is not in memory.
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

    // MARK: The queue of databases in memory

    /// Moves a database that has closed its files to the end of the queue, and removes databases from the start of the
    /// queue if it contains more than `keptMax`.
    ///
    /// - Returns: The removed databases: the first idle ones in the queue, at most `keptMax / 8`, or at most one for a
    ///   small `keptMax`. Databases in use move to the end of the queue instead. After the same number of databases in
    ///   use the search ends. The caller settles the returned databases and then calls ``unreference(_:isDurable:)``.
    mutating func rests(_ database: Database) -> [Datastore] {
        guard slots[database.name]?.database === database else { return [] }
        // If the database was released, a reference elsewhere has used it since. Keep a strong reference to it again.
        _ = datastore(named: database.name)
        join(database.name)
        guard lineCount > keptMax else { return [] }
        // Remove more than needed, because one flush settles all of them.
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

    /// Releases the strong reference to a database that ``rests(_:)`` returned. A database that was used again, or
    /// whose clean mark is not on disk, joins the queue again or stays in it.
    ///
    /// - Parameters:
    ///   - datastore: The database. The caller drops its own reference afterwards, outside of any lock.
    ///   - isDurable: Whether the clean marks are on disk.
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
