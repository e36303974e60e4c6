//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitExchange
import GodwitKeys
import GodwitScript
import GodwitStore

/// The `godwit` command.
@main
struct GodwitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "godwit",
        abstract: "A document store that works offline, and the server it syncs with, over CouchDB's protocol.",
        version: CommandText.version,
        subcommands: [
            ServeCommand.self, ReplicateCommand.self, BackupCommand.self, RestoreCommand.self,
            ImportCommand.self, ExportCommand.self, DoctorCommand.self, EncryptCommand.self, DecryptCommand.self,
            RekeyCommand.self, KeyCommand.self, DemoCommand.self, BenchCommand.self,
        ])

    /// Parses and runs: exit code 0 for success, 1 for a failure, 2 for wrong usage.
    static func main() async {
        StandardStream.outliveReaders()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == ScriptWorker.argument { ScriptWorker.run() }
        do {
            try await run(arguments)
            try StandardStream.output.check()
        } catch let failure as CommandFailure {
            if let message = failure.message { CommandText.complain(message) }
            exit(withError: ExitCode(1))
        } catch let code as ExitCode {
            exit(withError: code)
        } catch {
            end(with: error)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        do {
            var command = try parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // The texts of `--help` and `--version` come as errors.
            guard exitCode(for: error).isSuccess else { throw error }
            CommandText.say(fullMessage(for: error))
        }
    }

    private static func end(with error: any Error) -> Never {
        guard exitCode(for: error) != .validationFailure else {
            CommandText.complain(fullMessage(for: error))
            exit(withError: ExitCode(2))
        }
        CommandText.complain("\(error)")
        exit(withError: ExitCode(1))
    }
}

/// A failure with what to do about it, for standard error.
struct CommandFailure: Error {
    /// What failed and what to do about it; `nil` when there is nobody to be told.
    let message: String?

    init(message: String?) { self.message = message }

    /// The failure of a layer below, in its own words.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StoreError where error.code == .encrypted:
            message = "\(error.message) It is --encryption-key-file, or GODWIT_ENCRYPTION_KEY."
        case let error as StoreError: message = error.message
        case let error as KeyError: message = error.message
        case let error as ExchangeError: message = error.description
        default: message = "\(error)"
        }
    }
}
