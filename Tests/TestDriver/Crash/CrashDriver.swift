//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitKeys
import GodwitQuery
import GodwitStore

/// The program that the crash tests start and kill. `GODWIT_TEST_KEY` is the key of its files; without it they are
/// plain.
///
///     crash load DIRECTORY full|normal [shared]
///         writes a known pattern and prints each acknowledged write, until it is killed; other processes may read the
///         directory if it is shared
///     crash read DIRECTORY NAME
///         opens a database for reading, prints the number of its documents or the code of the error, and waits
///     crash step DIRECTORY STEP create|delete|restore
///         performs one change of several steps and kills itself before a step
///     crash convert DIRECTORY NAME|. OLD NEW
///         changes the key of a database, or of the directory: 64 hexadecimal digits each, or `none`
///     crash rekey FILE PAGES OLD NEW
///         changes the key of a backup and kills itself when PAGES pages are copied
enum CrashDriver {
    static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 3 else { exit(2) }
        let key = try ProcessInfo.processInfo.environment["GODWIT_TEST_KEY"].map { try EncryptionKey(hexadecimal: $0) }
        switch arguments[0] {
        case "load":
            let durability: Durability = arguments[2] == "full" ? .full : .normal
            var options = DirectoryOptions()
            options.isShared = arguments.dropFirst(3).first == "shared"
            try await Load(directory: arguments[1], durability: durability, key: key, options: options).run()
        case "read":
            do {
                let manager = try DatastoreManager(reading: arguments[1])
                say("\(try await manager.existingDatastore(named: arguments[2]).documentCount)")
                while true { try await Task.sleep(for: .seconds(1)) }
            } catch let error as StoreError {
                say("\(error.code)")
                while true { try await Task.sleep(for: .seconds(1)) }
            }
        case "step":
            guard let step = DatabaseStep.allCases.first(where: { "\($0)" == arguments[2] }) else { exit(2) }
            try await Change(directory: arguments[1], killedBefore: step, key: key).run(arguments[3])
        case "convert":
            try await Conversion(directory: arguments[1], from: arguments[3], to: arguments[4]).run(arguments[2])
        case "rekey":
            guard let pages = Int(arguments[2]) else { exit(2) }
            try await Conversion(directory: arguments[1], from: arguments[3], to: arguments[4]).killItself(at: pages)
        default: exit(2)
        }
    }
}
