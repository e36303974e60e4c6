//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ArgumentParser
import GodwitStore
import GodwitViews

/// The entry point of a program that runs a server, or that has a command which runs a server.
///
/// ```swift
/// @main
/// struct Tracker: AsyncParsableCommand {
///     @OptionGroup var options: ServeOptions
///     func run() async throws { try await options.serve(applications: [tracker]) { [TrackerModule(backend: $0)] } }
///     static func main() async { await HostProgram.main(Tracker.self) }
/// }
/// ```
public enum HostProgram {
    /// Parses the arguments and runs a command. Returns after success. In all other cases, the process exits: with code
    /// 1 for a failure, with code 2 for wrong usage, or with the code of an `ExitCode` that the command throws. Error
    /// messages go to standard error.
    ///
    /// The server starts this program again as a worker for functions of design documents. In a worker, this function
    /// does not return. In every process, this function ignores SIGPIPE and raises the process's limit of open files.
    public static func main<Command: AsyncParsableCommand>(_ type: Command.Type) async {
        StandardStream.ignoreBrokenPipes()
        FileLimit.raise()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == ScriptWorker.argument { ScriptWorker.run() }
        do {
            try await run(type, arguments)
            try StandardStream.output.check()
        } catch let code as ExitCode {
            Command.exit(withError: code)
        } catch {
            end(type, arguments, with: error)
        }
    }

    private static func run<Command: AsyncParsableCommand>(_ type: Command.Type, _ arguments: [String]) async throws {
        do {
            var command = try type.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // ArgumentParser reports the texts of `--help` and `--version` as errors.
            guard type.exitCode(for: error).isSuccess else { throw error }
            CommandText.printLine(type.fullMessage(for: error))
        }
    }

    private static func end<Command: AsyncParsableCommand>(
        _ type: Command.Type, _ arguments: [String], with error: any Error
    ) -> Never {
        guard type.exitCode(for: error) != .validationFailure else {
            let command = NamedCommand(type, arguments)
            let suggestion = command.suggestion.map { ". Did you mean '\($0)'?" } ?? ""
            let message = command.unknown.map { "unknown command '\($0)'" } ?? type.message(for: error)
            CommandText.complain("\(message)\(suggestion)\nSee '\(command.words) --help'.")
            type.exit(withError: ExitCode(2))
        }
        if let message = CommandFailure(error).message { CommandText.complain(message) }
        type.exit(withError: ExitCode(1))
    }
}
