//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import GodwitHost
import Synchronization

/// A process of the demo: this program with another command.
final class DemoProcess: Sendable {
    private let name: String
    private let process = Mutex<Process?>(nil)

    init(_ name: String) { self.name = name }

    /// Starts the process.
    ///
    /// - Returns: The first line of its standard output, which says that it is ready.
    /// - Throws: An error if the process ends before.
    func start(_ arguments: [String], environment: [String: String]) async throws -> String {
        let child = Process()
        child.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        child.arguments = arguments
        child.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        process.withLock { $0 = child }
        let file = output.fileHandleForReading
        let line = await Task.detached { DemoProcess.firstLine(of: file) }.value
        guard let line else { throw ValidationError("\(name) did not start. See the message above.") }
        return line
    }

    /// Waits for the first line; `nil` if the process ends before.
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

    /// Returns the address in the line of a process that is ready.
    static func address(in line: String) -> String {
        line.split(separator: " ").last { $0.hasPrefix("http") }.map(String.init) ?? ""
    }

    /// Waits until the process ends.
    func ended() async {
        while process.withLock({ $0?.isRunning }) == true { try? await Task.sleep(for: .milliseconds(500)) }
    }

    /// Ends the process, and waits for its end.
    func stop() {
        guard let child = process.withLock({ $0 }), child.isRunning else { return }
        child.terminate()
        child.waitUntilExit()
    }
}
