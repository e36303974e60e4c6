//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitViews

/// The program of the tests that need another process: to kill it, to read its memory, or to confine it. Its first argument
/// is `cipher`, `crash`, `geometry`, or the argument of a worker process.
switch CommandLine.arguments.dropFirst().first {
case "cipher": try await CipherDriver.run(Array(CommandLine.arguments.dropFirst(2)))
case "crash": try await CrashDriver.run(Array(CommandLine.arguments.dropFirst(2)))
case "geometry": try GeometryDriver.run()
default: ScriptWorker.run()
}

/// Writes a line without buffering. A line of a load reports a write that is acknowledged.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
