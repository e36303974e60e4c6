//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase
import GodwitDatabase
import GodwitFoundation
import GodwitHost
import GodwitObjects
import GodwitStore
import GodwitViews

/// The `godwit restore` command: creates a database from a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Create a database from a backup.",
        discussion: """
            TARGET is the path of a local database, DIR/name, or its URL on a Godwit server, for administrators, with \
            credentials as http://user:password@host/db or in GODWIT_USER and GODWIT_PASSWORD. It must not exist yet. \
            Clients that know the backed-up database continue from the state of the backup.

            FILE may also be a backup of all databases, a directory that `godwit serve --backups` wrote. Then TARGET is \
            a new directory, which gets all databases with their security objects, and the server's administrators, \
            applications, API keys and settings. With --database only that database is restored, to DIR/name or a URL.
            """)

    @Argument(help: "A file that `godwit backup` wrote, or a backup of all databases.")
    var file: String

    @Argument(help: "The database, or the directory of all databases, to create.")
    var target: String

    @Option(help: ArgumentHelp("The database to restore from a backup of all databases.", valueName: "name"))
    var database: String?

    @OptionGroup var trust: TrustOption

    @OptionGroup var keyOptions: KeyOptions

    @Option(
        help: """
            A file with the key of the backup, if it is not that of the directory. Its passphrase may be in \
            GODWIT_BACKUP_PASSPHRASE.
            """)
    var backupKeyFile: String?

    /// Whether all databases of a backup are restored.
    private var restoresAll: Bool { database == nil && BackupSets.isSet(file) }

    func validate() throws {
        guard !restoresAll else {
            guard backupKeyFile == nil, !target.includes("://") else {
                throw ValidationError(
                    "a backup of all databases is restored to a new directory, with the key of --encryption-key-file. "
                        + "Use --database NAME to restore one database to a server or with another key.")
            }
            return
        }
        try LocalDatabases.check(target)
        guard target.includes("://") else { return }
        guard keyOptions.encryptionKeyFile == nil, backupKeyFile == nil else {
            throw ValidationError(
                "a server restores with its own key: do not use --encryption-key-file and --backup-key-file if TARGET "
                    + "is a URL.")
        }
    }

    func run() async throws {
        guard !restoresAll else { return try await restoreAll() }
        let file = try fileOfDatabase()
        guard !target.includes("://") else { return try await restoreRemote(file) }
        let key = try await keyOptions.key()
        let databases = LocalDatabases(key: key)
        let progress = ProgressLine(.pages)
        do {
            var backupKey: EncryptionKey?
            if let backupKeyFile {
                backupKey = try await KeyOptions.key(in: backupKeyFile, passphrase: "backupPassphrase")
            }
            // The backup is checked before the target's directory is created.
            try Backup.checkIsReadable(file, key: backupKey ?? key)
            try await databases.restore(file, key: backupKey, to: target, progress)
            progress.end()
            if key == nil, Backup.isEncrypted(file) {
                CommandText.complain(
                    "the backup was encrypted, but \(target) is not: no --encryption-key-file was given.")
            }
            let datastore = try await databases.open(target, creating: false)
            CommandText.printLine(
                "Restored \(CommandText.count(try datastore.documentCount, "document")) to \(target).")
        } catch {
            progress.end()
            await databases.close()
            throw CommandFailure(error)
        }
        await databases.close()
    }

    /// Returns the file to restore. If `--database` is given, it is the file of this database in the backup.
    private func fileOfDatabase() throws -> String {
        guard let database else { return file }
        guard BackupSets.isSet(file) else {
            throw CommandFailure(message: "\(file) is not a backup of all databases: do not use --database.")
        }
        do {
            let path = try BackupSets.file(of: database, inSet: file)
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure(message: "the backup \(file) has no copy of the database \(database).")
            }
            return path
        } catch {
            throw CommandFailure(error)
        }
    }

    private func restoreAll() async throws {
        guard !FileManager.default.fileExists(atPath: target) else {
            throw CommandFailure(message: "\(target) exists already. Restore to a new directory.")
        }
        let progress = ProgressLine(.databases)
        do {
            let manager = try DatastoreManager(
                directory: target, key: try await keyOptions.key(), scripts: commandScripts)
            let failed: [BackupEntry], count: Int
            do {
                failed = try await manager.failures(of: file, rowsMax: Self.failuresMax)
                count = try await manager.restoreAll(fromSet: file, parts: [ObjectPart()]) { progress.show($0, of: $1) }
            } catch {
                await manager.close()
                // The incomplete directory is removed, because it would be mistaken for a complete one.
                try? FileManager.default.removeItem(atPath: target)
                throw error
            }
            await manager.close()
            progress.end()
            for entry in failed {
                CommandText.complain(
                    "\(entry.name) was not restored: \(entry.failure ?? ""). Restore it from another backup with --database."
                )
            }
            CommandText.printLine("Restored \(CommandText.count(count, "database")) to \(target).")
        } catch {
            progress.end()
            throw CommandFailure(error)
        }
    }

    /// The maximum number of databases in the message about databases that were not restored.
    private static let failuresMax = 20

    private func restoreRemote(_ file: String) async throws {
        let progress = ProgressLine(.pages)
        do {
            if !Backup.isEncrypted(file) { try Backup.checkIsReadable(file, key: nil) }
            let url = try RemoteURL(target)
            let remote = try RemoteBackup(url, trust)
            guard try await remote.isOfGodwit() else {
                throw CommandFailure(
                    message:
                        "\(url) is not on a Godwit server. Restore the backup to a directory, and use godwit replicate."
                )
            }
            try await remote.restore(from: file) { pages, total in progress.show(pages, of: total) }
            progress.end()
            CommandText.printLine("Restored \(file) to \(url).")
        } catch {
            progress.end()
            throw CommandFailure(error)
        }
    }
}
