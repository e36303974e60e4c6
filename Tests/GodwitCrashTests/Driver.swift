//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitKeys
import TestKit

/// Runs the crash driver, which the build puts next to the tests.
enum Driver {
    private static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "TestDriver").path
    /// Starts one process at a time, because a process would inherit the pipe of another and keep it open.
    private static let starting = NSLock()

    /// Starts the driver, kills it some time after its output, and returns the complete lines of its output.
    ///
    /// - Parameter linesMin: The number of lines after which the delay starts; the first line is "ready".
    static func kill(
        after delay: Double, linesMin: Int = 1, _ arguments: [String], key: EncryptionKey? = nil
    ) async throws -> [String] {
        try await onThread {
            let (process, output) = try start(arguments, key)
            defer { close(output) }
            var text: [UInt8] = []
            while text.count(where: { $0 == UInt8(ascii: "\n") }) < linesMin {
                guard read(output, into: &text) else { throw Failure(status: process.wait(), output: text) }
            }
            let instant = Date(timeIntervalSinceNow: delay)
            while case let rest = instant.timeIntervalSinceNow, rest > 0 {
                guard isReadable(output, within: rest) else { break }
                guard read(output, into: &text) else { break }
            }
            process.kill()
            while read(output, into: &text) {}
            process.wait()
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            return lines.dropLast().map(String.init)
        }
    }

    /// Runs the driver until it kills itself.
    static func run(_ arguments: [String], key: EncryptionKey?) async throws {
        try await onThread {
            let (process, output) = try start(arguments, key)
            defer { close(output) }
            var text: [UInt8] = []
            while read(output, into: &text) {}
            let status = process.wait()
            guard status & 0x7F == SIGKILL else { throw Failure(status: status, output: text) }
        }
    }

    /// Runs blocking work on a separate thread: the tests need the threads of Swift's tasks, of which there is one for
    /// each core.
    private static func onThread<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// Starts the driver with its output in a pipe that no other process inherits.
    private static func start(
        _ arguments: [String], _ key: EncryptionKey?
    ) throws -> (process: ChildProcess, output: Int32) {
        starting.lock()
        defer { starting.unlock() }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        do {
            let environment = ["GODWIT_TEST_KEY": key?.hexadecimal]
            return (try ChildProcess(path, ["crash"] + arguments, environment: environment, output: ends[1]), ends[0])
        } catch {
            close(ends[0])
            throw error
        }
    }

    /// Appends the next output; returns false at the end.
    private static func read(_ output: Int32, into text: inout [UInt8]) -> Bool {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = Foundation.read(output, &piece, piece.count)
        text += piece.prefix(max(count, 0))
        return count > 0
    }

    private static func isReadable(_ output: Int32, within seconds: Double) -> Bool {
        var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, Int32((seconds * 1000).rounded(.up))) > 0
    }

    struct Failure: Error {
        let status: Int32
        let output: [UInt8]
    }
}

/// Returns whether two large values are equal. Use it instead of `#expect(one == other)`, which computes the difference
/// of unequal collections: this takes minutes for a hundred kilobytes, so that a failure looks like a test that hangs.
func isSame<Value: Equatable>(_ one: Value, _ other: Value) -> Bool { one == other }
