//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitJSON
import GodwitSQLite

/// Writes one backup set. The directory has a temporary name until ``finish(settings:)``, and is removed if this method
/// is not called or fails.
final class BackupSetWriter: Sendable {
    private struct State {
        var summary = BackupSummary()
        /// The database that is being copied.
        var current: BackupEntry?
        var folders: Set<String> = []
    }

    private let sets: BackupSets
    private let name: String
    private let path: String
    private let manifest: BackupManifest
    /// The newest complete set. For each database that has not changed since, the new set gets a link to the file in
    /// this set.
    private let previous: (path: String, manifest: BackupManifest)?
    private let state = Mutex(State())

    /// Begins a set. Removes unfinished sets. The caller holds the lock of the directory of sets.
    ///
    /// - Parameter disk: The disk interface of the data directory.
    init(_ sets: BackupSets, named name: String, on disk: SQLiteDisk) throws {
        self.sets = sets
        self.name = name
        path = sets.unfinishedPath(of: name)
        try sets.removeUnfinished()
        guard !DatabaseFiles.exists(sets.path(of: name)) else {
            throw StoreError(.fileExists, "The backup \(name) exists already. Try again in a second.")
        }
        previous = sets.names.first.flatMap { name in
            let path = sets.path(of: name)
            // If the newest set has another key, its list cannot be read. The new set then gets no links, because it
            // must not contain files with another key.
            return (try? BackupManifest(reading: path, on: disk)).map { (path, $0) }
        }
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: StoreLimits.backupDirectoryMode])
        manifest = try BackupManifest(writing: path, on: disk)
        state.withLock { $0.summary.started = Int(time(nil)) }
    }

    deinit {
        manifest.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of the copy of a database.
    func path(of name: DatabaseName) -> String { "\(path)/\(name.filePath)" }

    /// The path of the copy of a server module's files.
    func path(ofModule name: String) -> String { "\(path)/\(name)" }

    /// The path of the copy of a server module's files in the previous set; `nil` if there is no such copy.
    func previousPath(ofModule name: String) -> String? {
        previous.map { "\($0.path)/\(name)" }.flatMap { DatabaseFiles.exists($0) ? $0 : nil }
    }

    /// Adds the result of copying a server module's files.
    ///
    /// - Parameter failures: The reasons why files could not be copied.
    func add(_ module: String, bytes: Int, failures: [String]) throws {
        state.withLock { $0.summary.bytes += bytes }
        for (number, reason) in failures.enumerated() {
            try add(BackupEntry(name: "\(module) \(number + 1)", failure: reason), isUnchanged: false)
        }
    }

    /// Begins the entry of a database. If the database has not changed since the previous set, adds a link to the copy
    /// in that set.
    ///
    /// - Parameter state: The state of the database's files now; `nil` if the file does not exist.
    /// - Returns: Whether the set has a link to the previous copy, so that the caller need not copy the database.
    func begin(_ name: DatabaseName, state fileState: FileState?, security: [UInt8]?) throws -> Bool {
        try makeFolder(of: name)
        var entry = BackupEntry(name: name.description, security: security)
        // The state is recorded only if it is settled (``FileState/isSettled``). If the file changed a moment ago, a
        // later change could have the same time, and the next set would not detect it.
        if let fileState, fileState.isSettled { entry.state = fileState }
        if let earlier = try unchanged(entry), link(earlier.path, path(of: name)) == 0 {
            entry.documents = earlier.entry.documents
            entry.bytes = earlier.entry.bytes
            try add(entry, isUnchanged: true)
            return true
        }
        state.withLock { $0.current = entry }
        return false
    }

    /// Returns the previous set's copy of a database that has not changed since then.
    private func unchanged(_ entry: BackupEntry) throws -> (path: String, entry: BackupEntry)? {
        guard let previous, let state = entry.state, let earlier = try? previous.manifest.entry(named: entry.name),
            earlier.failure == nil, earlier.state == state
        else { return nil }
        return (try BackupSets.file(of: entry.name, inSet: previous.path), earlier)
    }

    /// Completes the entry of a database that was copied.
    ///
    /// - Parameter fault: The first inconsistency in the copy; `nil` if there is none.
    func end(_ name: DatabaseName, documents: Int, fault: String?) throws {
        guard var entry = state.withLock({ $0.current }) else { return }
        invariant(entry.name.isIdenticalText(to: name.description), "an entry ends with the name that it began with")
        entry.documents = documents
        entry.bytes = try DatabaseFiles.byteCount(path(of: name))
        entry.failure = fault.map { "the database is damaged: \($0)" }
        try add(entry, isUnchanged: false)
    }

    /// Notes that a database could not be copied.
    func fail(_ name: DatabaseName, _ reason: String) throws {
        try? DatabaseFiles.removeFile(path(of: name))
        try add(BackupEntry(name: name.description, failure: reason), isUnchanged: false)
    }

    private func add(_ entry: BackupEntry, isUnchanged: Bool) throws {
        invariant(!isUnchanged || entry.failure == nil, "a set links only undamaged copies")
        try manifest.add(entry)
        state.withLock { state in
            state.summary.databases += entry.hasCopy ? 1 : 0
            state.summary.failures += entry.failure == nil ? 0 : 1
            state.summary.unchanged += isUnchanged ? 1 : 0
            state.summary.documents = state.summary.documents.addingSaturated(entry.documents)
            state.summary.bytes = state.summary.bytes.addingSaturated(entry.bytes)
        }
    }

    private func makeFolder(of name: DatabaseName) throws {
        let folder = DatabaseFiles.folder(of: path(of: name))
        guard state.withLock({ $0.folders.insert(folder).inserted }) else { return }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: StoreLimits.backupDirectoryMode])
    }

    /// Completes the set: adds the settings, flushes the directories with the names of the files, and gives the set's
    /// directory its final name.
    func finish(settings: [(key: String, value: [UInt8])]) throws -> BackupSummary {
        for (key, value) in settings { try manifest.addSetting(key, value) }
        let (summary, folders) = state.withLock { state in
            state.summary.ended = Int(time(nil))
            return (state.summary, state.folders)
        }
        try manifest.finish(summary)
        for folder in folders { try DatabaseFiles.flush(folder) }
        try DatabaseFiles.flush(path)
        try Backup.publish(path, as: sets.path(of: name))
        return summary
    }
}
