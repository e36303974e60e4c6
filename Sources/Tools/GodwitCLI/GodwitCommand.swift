//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost

/// The `godwit` command: contains all subcommands.
@main
struct GodwitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "godwit",
        abstract: "An offline-first document database, and its sync server with CouchDB's protocol.",
        version: CommandText.version,
        subcommands: [
            ServeCommand.self, ReplicateCommand.self, BackupCommand.self, RestoreCommand.self,
            ImportCommand.self, ImportCloudantCommand.self, ExportCommand.self, DoctorCommand.self,
            EncryptCommand.self, DecryptCommand.self, RekeyCommand.self, KeyCommand.self, UserCommand.self,
            AppCommand.self, ObjectsCommand.self,
            BenchCommand.self,
        ])

    static func main() async { await HostProgram.main(GodwitCommand.self) }
}
