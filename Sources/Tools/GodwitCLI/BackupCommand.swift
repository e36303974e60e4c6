//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase
import GodwitDatabase
import GodwitFoundation
import GodwitHost
import GodwitStore

/// The `godwit backup` command: writes a copy of a database to a file. If the database is on a server that is not
/// Godwit, the copy is not a snapshot: changes that happen during the copy may or may not be in it.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a consistent copy of a database to a file.",
        discussion: """
            SOURCE is the path of a local database, DIR/name, where a slash in the name is %2F, or a URL, with \
            credentials as http://user:password@host/db or in GODWIT_USER and GODWIT_PASSWORD. The copy is one state \
            of the database, and the file appears when it is complete. From a server that is not Godwit the documents \
            are replicated, which is not a snapshot. The copy of an encrypted database is encrypted with the same key, \
            also when a server sends it.
            """)

    @Argument(help: "The database.")
    var source: String

    @Argument(help: "The file to create.")
    var file: String

    @Flag(help: "Decrypt the copy: everyone who has the file can read it.")
    var plain = false

    @OptionGroup var trust: TrustOption

    @OptionGroup var keyOptions: KeyOptions

    func validate() throws { try LocalDatabases.check(source) }

    func run() async throws {
        let key = try await keyOptions.key()
        let progress = ProgressLine(.pages)
        do {
            let count =
                source.includes("://")
                ? try await backUpRemote(key, progress)
                : try await backUp(source, from: LocalDatabases(key: key), progress)
            progress.end()
            CommandText.printLine("Backed up \(count.map { CommandText.count($0, "document") + " " } ?? "")to \(file).")
        } catch {
            progress.end()
            throw CommandFailure(error)
        }
    }

    /// Copies a local database.
    ///
    /// - Returns: The number of documents in the database after the copy.
    private func backUp(
        _ path: String, from databases: LocalDatabases, _ progress: ProgressLine
    ) async throws -> Int {
        do {
            let datastore = try await databases.open(path, creating: false)
            try await datastore.backup(to: file, as: plain ? .plain : .asDatabase) { pages, total in
                progress.show(pages, of: total)
            }
            let count = try datastore.documentCount
            await databases.close()
            return count
        } catch {
            await databases.close()
            throw error
        }
    }

    /// Copies a database of a server.
    ///
    /// - Returns: The number of documents in the backup; `nil` when the backup is encrypted and no key is given to read
    ///   it.
    private func backUpRemote(_ key: EncryptionKey?, _ progress: ProgressLine) async throws -> Int? {
        try Backup.checkIsFree(file)
        let url = try RemoteURL(source)
        let remote = try RemoteBackup(url, trust)
        guard try await remote.isOfGodwit() else { return try await replicate(url, progress) }
        return try await remote.save(to: file, key: key, isPlain: plain) { pages, total in
            progress.show(pages, of: total)
        }
    }

    /// Replicates the database into a temporary local database next to the file, and writes a backup of that database
    /// to the file.
    private func replicate(_ url: RemoteURL, _ progress: ProgressLine) async throws -> Int {
        CommandText.complain(
            "\(url) is not on a Godwit server: its documents are replicated one by one, which is not a snapshot.")
        let directory = "\(file).replica-\(UUID().uuidString.prefix(8).lowercased())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let changes = ProgressLine(.changes)
        let databases = LocalDatabases(key: nil)
        do {
            let replica = try await databases.open("\(directory)/replica", creating: true)
            let remote = RemoteEndpoint(url, credentials: url.login(Settings()), transport: try trust.transport())
            let report = try await Replicator(.pull, replica, with: remote).run {
                changes.show($0.changesDone, of: $0.changesTotal)
            }
            // If the copy is incomplete, no backup is written, because an incomplete backup would be mistaken for a
            // complete one.
            guard report.failures.isEmpty else {
                throw CommandFailure(message: BackupCommand.failureMessage(report.failures))
            }
            changes.end()
        } catch {
            changes.end()
            await databases.close()
            throw error
        }
        return try await backUp("\(directory)/replica", from: databases, progress)
    }

    private static func failureMessage(_ failures: [ReplicationFailure]) -> String {
        let first = failures[0]
        let count = CommandText.count(failures.count, "document")
        return "\(count) could not be copied, so no backup was made; the first is \(first.id): "
            + "\(first.status) \(first.error): \(first.reason). godwit replicate copies the others."
    }
}
