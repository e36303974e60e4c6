//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitStore

/// The program that the crash tests start and kill.
///
///     CrashDriver load DIRECTORY full|normal
///         writes a known pattern and says each write that was acknowledged, until it is killed
///     CrashDriver step DIRECTORY STEP create|delete|restore
///         takes one change of several steps and kills itself before a step
let arguments = CommandLine.arguments
guard arguments.count >= 4 else { exit(2) }
switch arguments[1] {
case "load":
    let load = try await Load(directory: arguments[2], durability: arguments[3] == "full" ? .full : .normal)
    try await load.run()
case "step":
    guard let step = DatabaseStep.allCases.first(where: { "\($0)" == arguments[3] }) else { exit(2) }
    try await Change(directory: arguments[2], killedBefore: step).run(arguments[4])
default: exit(2)
}
