//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

// An app and its extension can share a directory, for example in the container of an app group. One process writes: its
// manager has the lock of the directory and opens the files with `DirectoryOptions.isShared`. The managers of the other
// processes read. SQLite's log gives each read one state, and a manager that reads looks for new commits at intervals.
//
// The system of a phone ends an app that is suspended while it holds a lock in such a container. Therefore, an app
// suspends its manager before: then no file is open.

extension DatastoreManager {
    /// Finishes the operations in progress, closes all files and releases their locks until ``resume()``.
    ///
    /// An app that shares a directory calls this method before it is suspended, and so does an extension that reads it:
    ///
    /// ```swift
    /// func applicationDidEnterBackground(_ application: UIApplication) {
    ///     let task = application.beginBackgroundTask()
    ///     Task {
    ///         await replicator.stop()
    ///         await manager.suspend()
    ///         application.endBackgroundTask(task)
    ///     }
    /// }
    /// ```
    ///
    /// Until then, reads and writes throw ``StoreError/Code/suspended``, feeds and live queries wait, and answers that
    /// are being read in parts end. ``Datastore`` instances stay valid. Stop replications first, because they end with
    /// this error.
    ///
    /// - Parameter secondsMax: The time that the operations in progress may take.
    /// - Returns: Whether all files are closed. If `false`, an operation took longer, and the manager is not suspended.
    @discardableResult
    public func suspend(secondsMax: Double = 5) async -> Bool {
        await transitions.withLock("") {
            guard !state.withLock({ $0.isClosed }), !openFiles.isSuspended else { return true }
            openFiles.isSuspended = true
            let end = ContinuousClock.now + .seconds(secondsMax)
            while await !rest() {
                guard ContinuousClock.now < end else {
                    await beActive()
                    return false
                }
                try? await Task.sleep(for: .milliseconds(StoreLimits.suspensionMilliseconds))
            }
            _ = try? await BlockingPool.shared.run { self.leave() }
            return true
        }
    }

    /// Closes the files of the databases that are not in use.
    ///
    /// - Returns: Whether all files are closed.
    private func rest() async -> Bool {
        let isResting = try? await BlockingPool.shared.run {
            var isResting = self.openFiles.isResting
            for datastore in self.state.withLock({ $0.open.all }) {
                let database = datastore.database
                self.openFiles.snapshots.end(.all, of: database)
                database.suspend()
                if database.isSuspended { self.openFiles.closed(database) } else { isResting = false }
            }
            return isResting
        }
        return isResting == true
    }

    /// Marks the closed files as clean, so that nothing of them remains to be recorded, and releases the directory.
    private func leave() {
        for datastore in state.withLock({ $0.open.all }) { datastore.database.settle() }
        let fresh = state.withLock { state in
            defer { state.fresh = [] }
            return state.fresh
        }
        if durability == .full { for name in fresh { catalogue.markClean(name, at: nil, isUnrecorded: false) } }
        catalogue.suspend()
        state.withLock { $0.lock = nil }
    }

    /// Locks the directory again and allows reads and writes. Does nothing if the manager is not suspended.
    ///
    /// If another manager has written to a database in the meantime, its ``Datastore`` instances are closed; get them
    /// from the manager again.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse`` if another manager has the directory open.
    ///   The manager remains suspended.
    public func resume() async throws(StoreError) {
        do {
            try await transitions.withLock("") {
                guard openFiles.isSuspended, !state.withLock({ $0.isClosed }) else { return }
                try await BlockingPool.shared.run { try self.enter() }
                for datastore in state.withLock({ $0.open.all }) {
                    let database = datastore.database
                    let isUnchanged = try? await BlockingPool.shared.run { try database.isUnchanged() }
                    if isUnchanged != true { await drop(database) }
                }
                await beActive()
            }
        } catch {
            throw StoreError(wrapping: error, subject: directory)
        }
    }

    /// Takes the directory, and completes what another manager left when it crashed.
    private func enter() throws {
        if !isReadOnly {
            try state.withLock { state in state.lock = try DirectoryLock(directory: directory) }
        }
        catalogue.resume()
        do {
            if !isReadOnly { try recover() }
        } catch {
            catalogue.suspend()
            state.withLock { $0.lock = nil }
            throw error
        }
    }

    /// Allows reads and writes, and begins the background tasks that failed meanwhile.
    private func beActive() async {
        openFiles.isSuspended = false
        let datastores = state.withLock { $0.open.all }
        _ = try? await BlockingPool.shared.run { for datastore in datastores { datastore.database.resumeTasks() } }
    }

    // MARK: Following another process

    /// Looks for the commits of the other process at intervals, until the manager is closed or released.
    func follow(every milliseconds: Int) {
        Task.detached { [weak self] in
            var version: Int?
            while true {
                try? await Task.sleep(for: .milliseconds(milliseconds))
                guard let self, !self.state.withLock({ $0.isClosed }) else { return }
                await self.followCommits(&version)
            }
        }
    }

    /// Publishes the commits of the other process, and closes the databases that it has deleted.
    ///
    /// - Parameter version: The state of the catalogue at the last call.
    private func followCommits(_ version: inout Int?) async {
        let found = try? await onPool { try self.catalogue.file.version() }
        if let found, version != nil, found != version { journal.publish() }
        version = found ?? version
        for datastore in state.withLock({ $0.open.all }) {
            let database = datastore.database
            database.endOldSnapshots()
            // An unused database is looked at when it is used again.
            guard openFiles.isOpen(database) || !database.hub.isQuiet else { continue }
            // Files that cannot be read now may be readable later. Reads report the error.
            let isCurrent = try? await onPool { try database.follow() }
            if isCurrent == false { await drop(database) }
        }
    }

    /// Closes a database whose file is no longer the one that was opened. The next use of its name opens the new file.
    private func drop(_ database: Database) async {
        state.withLock { $0.open.remove(database) }
        await database.close(settles: false)
    }
}
