//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How a process that runs functions of design documents is started.
public struct ScriptWorkerProgram: Sendable {
    /// The program's path.
    let path: String
    /// What it is given in front of the limits.
    let arguments: [String]

    /// - Parameters:
    ///   - path: A program that calls ``ScriptWorker/run()`` when its arguments begin with `arguments`.
    ///   - arguments: What it is given.
    public init(path: String, arguments: [String] = [ScriptWorker.argument]) {
        self.path = path
        self.arguments = arguments
    }

    /// The program that runs now, also when its file was replaced since.
    public static var this: ScriptWorkerProgram {
        #if os(Linux)
            ScriptWorkerProgram(path: "/proc/self/exe")
        #else
            ScriptWorkerProgram(path: CommandLine.arguments[0])
        #endif
    }
}
