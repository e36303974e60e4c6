//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Godwit

/// `godwit backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a consistent copy of a database to a file.",
        discussion: """
            SOURCE is the path of a local database, DIR/name, where a slash in the name is %2F. The copy is one state             of the database, and is there when it is complete. A database of a running server is copied with             `godwit replicate URL DIR/name --create-target`, which is no snapshot.
            """)

    @Argument(help: "The database.")
    var source: String

    @Argument(help: "The file to make.")
    var file: String

    func validate() throws {
        guard !source.contains("://") else {
            throw ValidationError(
                "a backup of a server's database is not part of this Godwit yet. Use godwit replicate, or stop the server "
                    + "and back up DIR/name.")
        }
    }

    func run() async throws {
        let databases = LocalDatabases()
        do {
            let datastore = try await databases.open(source, creating: false)
            let progress = ProgressLine()
            try await datastore.backup(to: file) { pages, total in progress.show(pages, of: total) }
            progress.end()
            CommandText.say("Backed up \(try datastore.documentCount) documents to \(file).")
        } catch {
            await databases.close()
            throw CommandFailure(error)
        }
        await databases.close()
    }
}

/// `godwit restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a database of a backup.",
        discussion: """
            TARGET is the path of a local database that is not there yet, DIR/name. Clients that know the database that             was backed up go on at the state of the backup.
            """)

    @Argument(help: "A file that `godwit backup` wrote.")
    var file: String

    @Argument(help: "The database to make.")
    var target: String

    func run() async throws {
        let databases = LocalDatabases()
        do {
            try await databases.restore(file, to: target)
            let datastore = try await databases.open(target, creating: false)
            CommandText.say("Restored \(try datastore.documentCount) documents to \(target).")
        } catch {
            await databases.close()
            throw CommandFailure(error)
        }
        await databases.close()
    }
}
