//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

// A database is in memory from its first use. `OpenFiles` closes the files of the least recently used databases, and
// the next use opens them again. A database with closed files still needs memory. Therefore, `OpenDatastores` has a
// queue of databases that it keeps in memory with strong references. If the queue contains more than `keptMax`
// databases when a database closes its files, the first idle databases in the queue are released. To release a database
// means to remove the strong reference to it.
//
// A database joins the end of the queue in four cases:
//
// - The database is added.
// - The database is requested after its release.
// - The database closes its files.
// - The database cannot be released because it is in use.
//
// A `Database` owns the open files. A `Datastore` is the object that an app uses, and refers to a `Database`. A
// released `Database` stays in memory as long as another object refers to it. If the database is requested again in
// this time, the request gets the same `Database`, possibly with a new `Datastore`. So two `Database` objects never use
// the same file.

/// The databases that a manager has in memory. The files of some of them are open. Each database has one `Database`
/// object.
struct OpenDatastores {
    private struct Slot {
        /// The strong reference; `nil` after the database was released.
        var retained: Datastore?
        weak var datastore: Datastore?
        weak var database: Database?
        /// The number of the database's valid entry in the queue; 0 if the queue does not contain the database.
        var queueNumber = 0
    }

    private var slots: [String: Slot] = [:]

    /// The number of databases whose files are open.
    var count: Int { slots.count }

    /// The queue of databases with a strong reference; the database that joined last is at the end. If a name has
    /// several entries, only the last entry is valid.
    private var queue: [(name: String, queueNumber: Int)] = []
    /// The number of valid entries in the queue.
    private var queueCount = 0
    private var lastQueueNumber = 0
    private let keptMax: Int

    init(keptMax: Int) { self.keptMax = keptMax }

    /// All databases in memory.
    var all: [Datastore] {
        slots.values.compactMap { $0.retained ?? $0.datastore ?? $0.database.map { Datastore($0) } }
    }

    /// Returns the database with a name and keeps a strong reference to it; `nil` if the database is not in memory.
    mutating func datastore(named name: String) -> Datastore? {
        guard let slot = slots[name] else { return nil }
        if let retained = slot.retained { return retained }
        guard let existing = slot.datastore ?? slot.database.map({ Datastore($0) }) else {
            forget(name)
            return nil
        }
        slots[name]?.retained = existing
        slots[name]?.datastore = existing
        enqueue(name)
        return existing
    }

    mutating func add(_ datastore: Datastore) {
        forget(datastore.name)
        slots[datastore.name] = Slot(retained: datastore, datastore: datastore, database: datastore.database)
        enqueue(datastore.name)
    }

    /// Removes a database by name.
    ///
    /// - Returns: The database, for the caller to close; `nil` if it is not in memory.
    mutating func remove(_ name: String) -> Datastore? {
        let datastore = datastore(named: name)
        forget(name)
        return datastore
    }

    /// Removes a database. Does nothing if the name belongs to another object now.
    mutating func remove(_ database: Database) {
        if slots[database.name]?.database === database { forget(database.name) }
    }

    private mutating func forget(_ name: String) {
        if slots.removeValue(forKey: name)?.queueNumber ?? 0 > 0 { queueCount -= 1 }
        invariant(queueCount >= 0, "a database that leaves the queue was counted")
    }

    // MARK: The queue of databases in memory

    /// Moves a database that has closed its files to the end of the queue. If the queue contains more than `keptMax`
    /// databases, removes idle databases from the queue.
    ///
    /// The search begins at the start of the queue. It ends after `keptMax / 8` idle databases (at least one), or after
    /// the same number of databases that are in use. The databases in use move to the end of the queue.
    ///
    /// - Returns: The removed databases. The caller records in the catalogue that their files are closed and complete
    ///   (the clean mark), and then calls ``unreference(_:isDurable:)``.
    mutating func rests(_ database: Database) -> [Datastore] {
        guard slots[database.name]?.database === database else { return [] }
        // The strong reference to this database may have been removed. But the database was used after that, because
        // it has only now closed its files. Therefore, a strong reference to it is kept again.
        _ = datastore(named: database.name)
        enqueue(database.name)
        guard queueCount > keptMax else { return [] }
        // More databases than necessary are removed, because one flush makes the clean marks of all of them durable.
        let removedMax = max(keptMax / 8, 1)
        var removed: [Datastore] = []
        var busy: [String] = []
        var passedCount = 0
        for (name, queueNumber) in queue {
            guard removed.count < removedMax, busy.count < removedMax else { break }
            passedCount += 1
            guard let slot = slots[name], slot.queueNumber == queueNumber else { continue }
            guard let retained = slot.retained, retained.database.isQuiet else {
                busy.append(name)
                continue
            }
            slots[name]?.queueNumber = 0
            queueCount -= 1
            removed.append(retained)
        }
        queue.removeFirst(passedCount)
        for name in busy { enqueue(name) }
        invariant(queue.count >= queueCount, "each database of the queue has an entry")
        return removed
    }

    /// Adds a database to the end of the queue.
    private mutating func enqueue(_ name: String) {
        if slots[name]?.queueNumber == 0 { queueCount += 1 }
        lastQueueNumber += 1
        slots[name]?.queueNumber = lastQueueNumber
        if queue.count >= 2 * max(keptMax, queueCount) + 64 { removeInvalidEntries() }
        queue.append((name, lastQueueNumber))
        invariant(queueCount <= slots.count, "a database is in the queue once")
    }

    /// Removes invalid entries from the queue, and the names of deallocated databases.
    private mutating func removeInvalidEntries() {
        for (name, slot) in slots where slot.retained == nil && slot.database == nil { forget(name) }
        queue.removeAll { slots[$0.name]?.queueNumber != $0.queueNumber }
    }

    /// Removes the strong reference to a database that ``rests(_:)`` returned. Does nothing if the database has joined
    /// the queue again since then. If the clean mark of the database is not on disk, or the database has unfinished
    /// work, the database joins the queue again instead.
    ///
    /// - Parameters:
    ///   - datastore: The database. The caller drops its own reference afterwards, outside of any lock.
    ///   - isDurable: Whether the clean marks are on disk.
    mutating func unreference(_ datastore: Datastore, isDurable: Bool) {
        let name = datastore.name
        guard let slot = slots[name], slot.retained === datastore, slot.queueNumber == 0 else { return }
        if isDurable, datastore.database.isSettled { slots[name]?.retained = nil } else { enqueue(name) }
    }

    /// Removes the names of deallocated databases.
    mutating func forget(_ names: [String]) {
        for name in names {
            guard let slot = slots[name], slot.retained == nil, slot.database == nil else { continue }
            forget(name)
        }
    }
}
