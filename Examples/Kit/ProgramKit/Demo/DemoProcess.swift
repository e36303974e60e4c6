//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import GodwitHost
import Synchronization
import UnixSignals

/// A process of the demo: this program with another command.
public final class DemoProcess: Sendable {
    private let name: String
    private struct State {
        var process: Process?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Creates the description of a process. Messages contain the name of its command.
    public init(_ name: String) { self.name = name }

    /// Starts the process.
    ///
    /// - Returns: The first line of its standard output, which says that it is ready.
    /// - Throws: An error if the process cannot be started, or ends before it prints a line; `CancellationError` after
    ///   ``stop()``.
    public func start(_ arguments: [String], environment: [String: String]) async throws -> String {
        let child = Process()
        child.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        child.arguments = arguments
        child.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        child.standardOutput = output
        try state.withLock { state in
            guard !state.isStopped else { throw CancellationError() }
            try child.run()
            state.process = child
        }
        let file = output.fileHandleForReading
        let line = await Task.detached { DemoProcess.firstLine(of: file) }.value
        guard let line else { throw ValidationError("\(name) did not start. See the message above.") }
        return line
    }

    /// Waits for the first line; `nil` if the process ends before it prints a line.
    private static func firstLine(of file: FileHandle) -> String? {
        var line: [UInt8] = []
        while true {
            let bytes = file.availableData
            guard !bytes.isEmpty else { return nil }
            line += bytes
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
                return String(decoding: line[..<end], as: UTF8.self)
            }
        }
    }

    /// Returns the address in the line that a process prints when it is ready; an empty text if the line contains no
    /// address.
    public static func address(in line: String) -> String {
        line.split(separator: " ").last { $0.hasPrefix("http") }.map(String.init) ?? ""
    }

    /// Waits until the process ends. Returns at once if the process was not started, or the task is cancelled.
    public func ended() async {
        while !Task.isCancelled, state.withLock({ $0.process?.isRunning }) == true {
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Ends the process, and blocks the thread until the process has ended. If the process was not started yet, it
    /// cannot be started after this call.
    public func stop() {
        let child = state.withLock { state in
            state.isStopped = true
            return state.process
        }
        guard let child, child.isRunning else { return }
        child.terminate()
        child.waitUntilExit()
    }
}

extension DemoProcess {
    /// Runs a demo until its first process ends, `start` fails, or the user stops the demo. Then all processes are
    /// ended, beginning with the last one in the list.
    ///
    /// - Parameters:
    ///   - processes: The processes that `start` starts. If the first process ends, the demo ends. If another process
    ///     ends, the demo continues.
    ///   - start: A closure that starts the processes.
    public static func run(
        _ processes: [DemoProcess], start: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { for await _ in await UnixSignalsSequence(trapping: [.sigint, .sigterm]) { return } }
            group.addTask {
                try await start()
                await processes.first?.ended()
            }
            // As soon as one of the tasks has ended, the demo ends.
            let outcome = await group.nextResult()
            for process in processes.reversed() { process.stop() }
            group.cancelAll()
            try outcome?.get()
        }
    }
}

/// The secrets of a demo. They are created at its first start, and stored in a file that only the user can read.
public enum DemoSecrets {
    /// Reads the secrets of an earlier start. If there are none, new secrets are created and stored.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder is created if it does not exist.
    ///   - make: A closure that returns new secrets.
    public static func stored<Secrets: Codable>(at path: String, _ make: () -> Secrets) throws -> Secrets {
        if let data = FileManager.default.contents(atPath: path) {
            return try JSONDecoder().decode(Secrets.self, from: data)
        }
        let secrets = make()
        try FileManager.default.createDirectory(
            atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        guard
            FileManager.default.createFile(
                atPath: path, contents: try JSONEncoder().encode(secrets), attributes: [.posixPermissions: 0o600])
        else { throw ValidationError("\(path) cannot be written. Choose another directory with --data.") }
        return secrets
    }

    /// Returns a key of 256 bits as 64 hexadecimal digits.
    public static func deviceKey() -> String {
        (0..<32).map { _ in String(format: "%02x", UInt8.random(in: .min ... .max)) }.joined()
    }
}
