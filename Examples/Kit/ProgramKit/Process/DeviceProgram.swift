//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitHost
import UnixSignals

/// Runs the process of a device until it gets `SIGINT` or `SIGTERM`, or until an error occurs.
public enum DeviceProgram {
    /// Serves the screens of an app, and prints `NAME device is at URL` when a browser can open them.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for a free one.
    ///   - work: A closure that runs concurrently with the server. If it ends without an error, the process continues.
    /// - Throws: ``DeviceKit/DeviceError``, or an error of `work`.
    public static func run(
        _ app: any DeviceApp, port: Int, while work: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        let name = app.name
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await DeviceServer(app).run(port: port) { CommandText.printLine("\(name) device is at \($0)") }
                return true
            }
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: [.sigint, .sigterm]) { return true }
                return true
            }
            group.addTask {
                try await work()
                return false
            }
            while let isEnd = try await group.next(), !isEnd {}
            group.cancelAll()
        }
    }
}
