//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The program that is started to run functions of design documents.
public struct ScriptWorkerProgram: Sendable {
    /// The program's path.
    let path: String
    /// The first arguments of the program. The limits follow them.
    let arguments: [String]

    /// Creates a description of a program.
    ///
    /// - Parameters:
    ///   - path: The path of a program that calls ``ScriptWorker/run()`` when its arguments start with `arguments`.
    ///   - arguments: The first arguments of the program. The limits follow them.
    public init(path: String, arguments: [String] = [ScriptWorker.argument]) {
        self.path = path
        self.arguments = arguments
    }

    /// The running program, on Linux.
    private static let running = "/proc/self/exe"

    /// The program of this process. On Linux, this works even if the file of the program was replaced after the start.
    /// On other systems, the first argument of this process must be the path of the program's file.
    public static var this: ScriptWorkerProgram {
        ScriptWorkerProgram(path: access(running, X_OK) == 0 ? running : CommandLine.arguments[0])
    }
}
