//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The databases of one directory.
///
/// One manager of one process holds a directory at a time. It gives the same ``Datastore`` for the same name for as
/// long as that is open.
///
/// ```swift
/// let manager = try DatastoreManager(directory: "/var/lib/trips")
/// let trips = try await manager.datastore(named: "trips")
/// ```
public final class DatastoreManager: Sendable {
    private struct Held: ~Copyable {
        var catalogue: Catalogue?
        var lock: DirectoryLock?
    }

    /// The directory that holds the files.
    public let directory: String

    /// When a write of these databases is on disk.
    public let durability: Durability

    /// The limits of its databases.
    public let limits: StoreLimits

    /// Held for as long as a file is opened, made or removed: on the blocking pool only.
    private let held: Mutex<Held>

    /// The open databases: looked at often, held for moments.
    private let open = Mutex<[String: Datastore]>([:])

    /// Opens a directory, making it when it is not there.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse`` when another process has it open.
    public init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default
    ) throws(StoreError) {
        self.directory = directory
        self.durability = durability
        self.limits = limits
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw StoreError(.storage, "\(directory) cannot be made: \(error)", cause: error)
        }
        let lock = try DirectoryLock(directory: directory)
        do {
            held = Mutex(Held(catalogue: try Catalogue(directory: directory), lock: lock))
            try finishDeletions()
        } catch {
            throw StoreError(wrapping: error, subject: "opening \(directory)")
        }
    }

    /// The database of a name, made when there is none.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidDatabaseName`` when the name breaks the rule.
    public func datastore(named name: String) async throws(StoreError) -> Datastore {
        if let found = openDatastore(named: name) { return found }
        let checked = try DatabaseName(name)
        return try await onPool { try self.open(checked, creating: true) }
    }

    /// The database of a name.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound`` when there is none.
    public func existingDatastore(named name: String) async throws(StoreError) -> Datastore {
        if let found = openDatastore(named: name) { return found }
        let checked = try DatabaseName(name)
        return try await onPool { try self.open(checked, creating: false) }
    }

    /// Makes a database.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseExists`` when there is one of this name.
    public func create(named name: String) async throws(StoreError) {
        let checked = try DatabaseName(name)
        try await onPool {
            try self.withCatalogue { catalogue in
                guard try catalogue.file(of: name) == nil else {
                    throw StoreError(.databaseExists, "The database could not be created, the file already exists.")
                }
                try self.makeFile(checked, in: catalogue)
            }
        }
    }

    /// Deletes a database with all that it holds.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound`` when there is none.
    public func delete(named name: String) async throws(StoreError) {
        let file = try await onPool { () throws -> String in
            try self.withCatalogue { catalogue in
                guard let file = try catalogue.file(of: name) else { throw StoreError.noDatabase(name) }
                try catalogue.set(.deleting, of: name)
                return file
            }
        }
        await open.withLock { $0.removeValue(forKey: name) }?.close()
        try await onPool { try self.withCatalogue { try self.removeFiles(name, file: file, in: $0) } }
    }

    /// The names of all databases, in bytewise order.
    public func names() async throws(StoreError) -> [String] {
        try await onPool { try self.withCatalogue { try $0.databases(in: .live).map(\.name) } }
    }

    /// Finishes what is under way and closes every file. Further use throws ``StoreError/Code/closed``.
    public func close() async {
        // First, so that nothing is opened while the open ones are being closed.
        let catalogue = held.withLock { $0.catalogue.take() }
        let datastores = open.withLock { open in
            defer { open = [:] }
            return Array(open.values)
        }
        for datastore in datastores { await datastore.close() }
        guard let catalogue else { return }
        catalogue.close()
        held.withLock { $0.lock = nil }
    }

    /// Ends all feeds that wait for changes, ahead of ``close()``: whoever serves them can finish.
    package func endFeeds() {
        for datastore in open.withLock({ Array($0.values) }) { datastore.hub.close() }
    }

    /// A setting kept beside the databases; `nil` when it was never set.
    package func setting(_ key: String) async throws(StoreError) -> [UInt8]? {
        try await onPool { try self.withCatalogue { try $0.setting(key) } }
    }

    /// Keeps a setting beside the databases.
    package func setSetting(_ key: String, to value: [UInt8]) async throws(StoreError) {
        try await onPool { try self.withCatalogue { try $0.setSetting(key, to: value) } }
    }
}

extension DatastoreManager {
    private func openDatastore(named name: String) -> Datastore? { open.withLock { $0[name] } }

    private func withCatalogue<Result>(_ body: (Catalogue) throws -> Result) throws -> Result {
        try held.withLock { held throws in
            guard let catalogue = held.catalogue else { throw StoreError.closed }
            return try body(catalogue)
        }
    }

    private func onPool<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            return try await BlockingPool.shared.run(body)
        } catch {
            throw StoreError(wrapping: error, subject: directory)
        }
    }

    private func open(_ name: DatabaseName, creating: Bool) throws -> Datastore {
        try withCatalogue { catalogue in
            if let found = openDatastore(named: name.description) { return found }
            if try catalogue.file(of: name.description) == nil {
                guard creating else { throw StoreError.noDatabase(name.description) }
                try makeFile(name, in: catalogue)
            }
            let datastore = try Datastore(
                name: name.description, path: path(name.filePath), durability: durability, limits: limits)
            open.withLock { $0[name.description] = datastore }
            return datastore
        }
    }

    private func makeFile(_ name: DatabaseName, in catalogue: Catalogue) throws {
        guard try !catalogue.isDeleting(name.description) else {
            throw StoreError(.databaseExists, "The database is being deleted. Try again in a while.")
        }
        let identity = DatabaseIdentity.random()
        let image = try FileFormat.image(epoch: identity.epoch, instance: identity.instance)
        try DatabaseFiles.create(at: path(name.filePath), image: image)
        try catalogue.insert(name: name.description, file: name.filePath)
    }

    private func removeFiles(_ name: String, file: String, in catalogue: Catalogue) throws {
        try DatabaseFiles.remove(at: path(file))
        try catalogue.remove(name: name)
    }

    private func finishDeletions() throws {
        try withCatalogue { catalogue in
            for (name, file) in try catalogue.databases(in: .deleting) {
                try removeFiles(name, file: file, in: catalogue)
            }
        }
    }

    private func path(_ file: String) -> String { "\(directory)/\(file)" }
}

extension StoreError {
    fileprivate static func noDatabase(_ name: String) -> StoreError {
        StoreError(.databaseNotFound, "Database does not exist.")
    }
}
