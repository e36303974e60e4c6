//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitKeys
import GodwitStore

/// The program that the crash tests start and kill. `GODWIT_TEST_KEY` is the key of its files; without it they are
/// plain.
///
///     CrashDriver load DIRECTORY full|normal
///         writes a known pattern and prints each acknowledged write, until it is killed
///     CrashDriver step DIRECTORY STEP create|delete|restore
///         performs one change of several steps and kills itself before a step
///     CrashDriver convert DIRECTORY NAME|. OLD NEW
///         changes the key of a database, or of the directory: 64 hexadecimal digits each, or `none`
///     CrashDriver rekey FILE PAGES OLD NEW
///         changes the key of a backup and kills itself when PAGES pages are copied
let arguments = CommandLine.arguments
guard arguments.count >= 4 else { exit(2) }
let key = try ProcessInfo.processInfo.environment["GODWIT_TEST_KEY"].map { try EncryptionKey(hexadecimal: $0) }
switch arguments[1] {
case "load":
    let load = try await Load(directory: arguments[2], durability: arguments[3] == "full" ? .full : .normal, key: key)
    try await load.run()
case "step":
    guard let step = DatabaseStep.allCases.first(where: { "\($0)" == arguments[3] }) else { exit(2) }
    try await Change(directory: arguments[2], killedBefore: step, key: key).run(arguments[4])
case "convert":
    try await Conversion(directory: arguments[2], from: arguments[4], to: arguments[5]).run(arguments[3])
case "rekey":
    guard let pages = Int(arguments[3]) else { exit(2) }
    try await Conversion(directory: arguments[2], from: arguments[4], to: arguments[5]).killItself(at: pages)
default: exit(2)
}
