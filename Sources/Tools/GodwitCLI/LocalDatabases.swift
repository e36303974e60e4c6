//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase
import GodwitDatabase
import GodwitFoundation
import GodwitHost
import GodwitViews

/// Opens the local databases of a command by their paths, with one manager for each directory. All paths must name a
/// directory in the same way. If the paths name the same directory as `data` and as `./data`, the command fails,
/// because it cannot lock this directory twice.
actor LocalDatabases {
    private var managers: [ExactText: DatastoreManager] = [:]
    private let key: EncryptionKey?
    /// The keys of those directories whose key is not ``key``.
    private var keys: [ExactText: EncryptionKey] = [:]

    /// Creates an empty set of databases.
    ///
    /// - Parameter key: The key of the directories; `nil` if the directories are not encrypted.
    init(key: EncryptionKey?) { self.key = key }

    /// Sets a separate key for the directory of `DIR/name`. Call it before a database of the directory is opened.
    ///
    /// - Throws: ``CommandFailure`` when the directory has another separate key.
    func use(_ key: EncryptionKey, for path: String) throws {
        let (directory, _) = try LocalDatabases.parts(of: path)
        guard [nil, key].contains(keys[ExactText(directory)]) else {
            throw CommandFailure(message: "\(directory) has one key, but two different keys were given.")
        }
        keys[ExactText(directory)] = key
    }

    /// Opens `DIR/name`, where a slash in the name is written as `%2F`.
    ///
    /// - Parameter creating: Whether a missing database is created. If its directory is missing too, the directory is
    ///   also created.
    /// - Throws: ``StoreError`` with code `databaseNotFound` when the database is missing and is not created.
    func open(_ path: String, creating: Bool) async throws -> Datastore {
        let (directory, name) = try LocalDatabases.parts(of: path)
        guard !creating else { return try await manager(of: directory).datastore(named: name) }
        let missingError = StoreError(.databaseNotFound, "the database \(path) does not exist.")
        // The existence is checked first, because a manager would create the directory.
        guard managers[ExactText(directory)] != nil || FileManager.default.fileExists(atPath: directory) else {
            throw missingError
        }
        do {
            return try await manager(of: directory).existingDatastore(named: name)
        } catch let error as StoreError where error.code == .databaseNotFound {
            throw missingError
        }
    }

    /// Opens `DIR/name`. If the text is a URL, returns the database of a server with this URL. If the text is a URL and
    /// `creating` is `false`, no request is sent to the server, so the database may not exist.
    func store(_ text: String, creating: Bool, _ trust: TrustOption) async throws -> any DocumentStore {
        guard text.includes("://") else { return try await open(text, creating: creating) }
        let url = try RemoteURL(text)
        let database = try CouchDatabase(
            url.description, credentials: url.login(Settings()), transport: try trust.transport())
        guard creating else { return database }
        do {
            try await database.createDatabase()
        } catch {
            guard error.code == .databaseExists else { throw error }
        }
        return database
    }

    /// Creates the database `DIR/name` from a backup.
    ///
    /// - Parameters:
    ///   - backup: The path of the backup.
    ///   - backupKey: The key of the backup; `nil` when it is the directory's key.
    ///   - path: The path of the new database.
    ///   - progress: Shows the number of copied pages.
    func restore(
        _ backup: String, key backupKey: EncryptionKey?, to path: String, _ progress: ProgressLine
    ) async throws {
        let (directory, name) = try LocalDatabases.parts(of: path)
        do {
            try await manager(of: directory).restore(
                from: backup, encryptedWith: backupKey.map { .key($0) }, named: name
            ) { progress.show($0, of: $1) }
        } catch let error as StoreError where error.code == .databaseExists {
            throw StoreError(
                .databaseExists, "the database \(path) exists already. Restore to another name, or delete it first.")
        }
    }

    private func manager(of directory: String) throws -> DatastoreManager {
        let name = ExactText(directory)
        let manager =
            try managers[name]
            ?? DatastoreManager(directory: directory, key: keys[name] ?? key, scripts: commandScripts)
        managers[name] = manager
        return manager
    }

    /// Throws a usage error when a text is neither the URL of a database nor the path of one.
    static func check(_ text: String) throws {
        guard text.includes("://") else { return _ = try parts(of: text) }
        do {
            _ = try RemoteURL(text)
        } catch {
            throw ValidationError(error.message)
        }
    }

    private static func parts(of path: String) throws -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex,
            case let start = path.utf8.index(after: slash), start != path.endIndex
        else {
            throw ValidationError("`\(path)` is neither a URL nor the path of a local database, DIR/name.")
        }
        return (String(path[..<slash]), String(path[start...].replacing(/%2[Ff]/, with: "/")))
    }

    func close() async {
        for manager in managers.values { await manager.close() }
    }
}
