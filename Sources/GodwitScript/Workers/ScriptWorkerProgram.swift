//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The program that is started to run functions of design documents.
public struct ScriptWorkerProgram: Sendable {
    /// The program's path.
    let path: String
    /// The arguments before the limits.
    let arguments: [String]

    /// Creates a description of a program.
    ///
    /// - Parameters:
    ///   - path: The path of a program that calls ``ScriptWorker/run()`` when its arguments start with `arguments`.
    ///   - arguments: The arguments before the limits.
    public init(path: String, arguments: [String] = [ScriptWorker.argument]) {
        self.path = path
        self.arguments = arguments
    }

    /// The running program; on Linux even when its file has been replaced since its start. On other systems, the
    /// program's first argument must be the path of its file.
    public static var this: ScriptWorkerProgram {
        #if os(Linux)
            ScriptWorkerProgram(path: "/proc/self/exe")
        #else
            ScriptWorkerProgram(path: CommandLine.arguments[0])
        #endif
    }
}
