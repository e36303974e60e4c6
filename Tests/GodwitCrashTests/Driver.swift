//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// Runs the crash driver, which the build has put beside the tests.
enum Driver {
    private static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "CrashDriver").path

    /// Starts it, kills it a while after it is ready, and gives the whole lines that it said.
    static func kill(after delay: Double, _ arguments: [String]) async throws -> [String] {
        let (process, output) = try start(arguments)
        var text = Data()
        // It says "ready" first.
        while !text.contains(UInt8(ascii: "\n")) {
            let piece = output.availableData
            guard !piece.isEmpty else { throw Failure(status: process.terminationStatus, output: text) }
            text += piece
        }
        let deadline = Date(timeIntervalSinceNow: delay)
        let killing = Task.detached {
            try await Task.sleep(for: .seconds(max(deadline.timeIntervalSinceNow, 0)))
            Foundation.kill(process.processIdentifier, SIGKILL)
        }
        while case let piece = output.availableData, !piece.isEmpty { text += piece }
        try await killing.value
        process.waitUntilExit()
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().map(String.init)
    }

    /// Runs it until it kills itself.
    static func run(_ arguments: [String]) async throws {
        let (process, output) = try start(arguments)
        var text = Data()
        while case let piece = output.availableData, !piece.isEmpty { text += piece }
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal else {
            throw Failure(status: process.terminationStatus, output: text)
        }
    }

    private static func start(_ arguments: [String]) throws -> (Process, FileHandle) {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        try pipe.fileHandleForWriting.close()
        return (process, pipe.fileHandleForReading)
    }

    struct Failure: Error {
        let status: Int32
        let output: Data
    }
}
