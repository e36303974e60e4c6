//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitKeys
package import GodwitObjectStore
import GodwitSQLite
package import GodwitStore

// The bytes of objects are stored in files. The name of a file is the SHA-256 of its bytes, and its content never
// changes. The catalogue is a SQLite file. It contains accounts, containers, objects, and the number of references to
// each file. An upload has these steps:
// - Its bytes are written to a file in `uploads/`.
// - The file is flushed and gets its final name.
// - The folder that contains this name is flushed.
// - One transaction adds the object and its references.
//
// The upload is acknowledged only after the transaction. If the process crashes before the transaction, a file without
// a row remains, which the next process removes. Files that have a row but no references are removed by the collection,
// in steps of limited size. A file that a reader, an upload or a backup has pinned is not removed.

/// The objects of a data directory.
///
/// Functions that are not asynchronous block the thread for disk access. Call them in ``run(_:)``, which uses the
/// blocking pool.
package final class ObjectDirectory: Sendable {
    /// The name of the folder in the data directory.
    package static let folderName = "objects"

    let folder: ModuleFolder
    let manager: DatastoreManager?
    let files: BlobFiles
    let catalogue: CatalogueFile
    /// The key with which new files are sealed, and its number; `nil` in a plain directory.
    let key: (number: Int, key: EncryptionKey)?
    let stored: StoredFiles
    let pins = BlobPins()
    /// The number of bytes that each account is uploading.
    let incoming = Mutex<[Int: Int]>([:])
    /// Whether the previous process ended without closing the catalogue. In this case, there may be files without rows.
    let wasUnclean: Bool
    /// Whether files without rows have been removed. The previous process may have left such files.
    let isSwept: Mutex<Bool>

    private static let version = 1

    /// Opens the objects of a data directory. Creates the folder if it is absent. Blocks the thread for disk access.
    ///
    /// - Throws: ``ObjectError`` if the files cannot be opened.
    package convenience init(in manager: DatastoreManager) throws(ObjectError) {
        let folder = manager.folder(named: ObjectDirectory.folderName)
        do {
            try self.init(folder, manager: manager)
        } catch {
            throw ObjectError(storing: error, folder.path)
        }
    }

    /// - Parameter manager: The manager of the data directory; `nil` if there is no manager. On a full disk, deletions
    ///   use the disk space that the manager has reserved.
    init(_ folder: ModuleFolder, manager: DatastoreManager?) throws {
        self.folder = folder
        self.manager = manager
        files = BlobFiles(directory: folder.path)
        try folder.create()
        try ModuleFolder.create(files.uploads)
        catalogue = try CatalogueFile(
            path: folder.cataloguePath, version: ObjectDirectory.version, schema: ObjectDirectory.schema,
            disk: folder.disk)
        if folder.isEncrypted { try ObjectDirectory.addKeyIfNone(to: catalogue) }
        let keys = try StoredFiles.keys(in: catalogue)
        stored = StoredFiles(files: files, catalogue: catalogue, keys: Dictionary(keys, uniquingKeysWith: { $1 }))
        key = folder.isEncrypted ? keys.last : nil
        let wasUnclean = try catalogue.write { connection in
            let wasOpen = try connection.integer("SELECT count(*) FROM settings WHERE key = 'open'") > 0
            try connection.run("INSERT OR REPLACE INTO settings VALUES('open', '1')")
            return wasOpen
        }
        self.wasUnclean = wasUnclean
        isSwept = Mutex(!wasUnclean)
    }

    private static let schema = """
        CREATE TABLE IF NOT EXISTS settings(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS keys(number INTEGER PRIMARY KEY, key BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS accounts(
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, accessKey TEXT NOT NULL UNIQUE,
            secretKey TEXT NOT NULL, quota INTEGER, bytes INTEGER NOT NULL DEFAULT 0, objects INTEGER NOT NULL DEFAULT 0,
            containers INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, headers BLOB NOT NULL,
            CHECK(bytes >= 0 AND objects >= 0 AND containers >= 0));
        CREATE TABLE IF NOT EXISTS containers(
            id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL,
            bytes INTEGER NOT NULL DEFAULT 0, objects INTEGER NOT NULL DEFAULT 0, headers BLOB NOT NULL,
            UNIQUE(account, name), CHECK(bytes >= 0 AND objects >= 0));
        CREATE INDEX IF NOT EXISTS containers_names ON containers(name);
        CREATE TABLE IF NOT EXISTS objects(
            container INTEGER NOT NULL, name TEXT NOT NULL, bytes INTEGER NOT NULL, tag TEXT NOT NULL,
            modified INTEGER NOT NULL, expires INTEGER, properties BLOB NOT NULL, pieces BLOB NOT NULL, manifest BLOB,
            PRIMARY KEY(container, name), CHECK(bytes >= 0)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS objects_expiring ON objects(expires) WHERE expires IS NOT NULL;
        CREATE TABLE IF NOT EXISTS blobs(
            digest BLOB PRIMARY KEY, bytes INTEGER NOT NULL, key INTEGER, file TEXT NOT NULL, refs INTEGER NOT NULL,
            CHECK(bytes >= 0 AND refs >= 0)) WITHOUT ROWID;
        CREATE UNIQUE INDEX IF NOT EXISTS blobs_file ON blobs(file);
        CREATE INDEX IF NOT EXISTS blobs_unused ON blobs(digest) WHERE refs = 0;
        CREATE TABLE IF NOT EXISTS uploads(
            id TEXT PRIMARY KEY, account INTEGER NOT NULL, container INTEGER NOT NULL, name TEXT NOT NULL,
            created INTEGER NOT NULL, properties BLOB NOT NULL) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS uploads_names ON uploads(container, name, id);
        CREATE INDEX IF NOT EXISTS uploads_created ON uploads(created);
        CREATE INDEX IF NOT EXISTS uploads_accounts ON uploads(account);
        CREATE TABLE IF NOT EXISTS parts(
            upload TEXT NOT NULL, number INTEGER NOT NULL, bytes INTEGER NOT NULL, tag TEXT NOT NULL,
            modified INTEGER NOT NULL, digest BLOB NOT NULL, headers BLOB NOT NULL, PRIMARY KEY(upload, number),
            CHECK(bytes >= 0)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS revoked(token BLOB PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS revoked_expires ON revoked(expires);
        """

    private static func addKeyIfNone(to catalogue: CatalogueFile) throws {
        let count = try catalogue.read { try $0.integer("SELECT count(*) FROM keys") }
        if count == 0 { try catalogue.write { try addKey(on: $0) } }
    }

    /// Adds a new random key. All files that are written later are sealed with this key.
    static func addKey(on connection: SQLiteConnection) throws {
        try connection.run("INSERT INTO keys(key) VALUES(?1)") { statement in
            EncryptionKey.random().withBytes { statement.bind(Array($0), at: 1) }
        }
    }

    /// The form in which new files are written.
    var form: BlobForm { key.map { .sealed($0.key) } ?? .plain }

    /// Runs a blocking operation on the pool.
    package func run<Result: Sendable>(
        _ body: @escaping @Sendable (ObjectDirectory) throws -> Result
    ) async throws(ObjectError) -> Result {
        do {
            return try await BlockingPool.shared.run { try body(self) }
        } catch {
            throw ObjectError(storing: error, folder.path)
        }
    }

    /// Runs a change that must also succeed if the disk is full, such as a deletion.
    func release<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) throws -> Result {
        guard let manager else { return try catalogue.write(body) }
        return try manager.performOnFullDisk { try catalogue.write(body) }
    }

    /// Closes the catalogue. Blocks the thread for disk access.
    package func close() {
        if isSwept.withLock({ $0 }) {
            try? catalogue.write { try $0.run("DELETE FROM settings WHERE key = 'open'") }
        }
        catalogue.close()
    }

    /// The current time in milliseconds since 1970.
    static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
    }
}
