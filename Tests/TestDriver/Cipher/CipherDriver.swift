//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// With this program, the tests of encrypted files write and read files. They also kill it. A secret is `key:`
/// and 64 hexadecimal digits, `passphrase:` and a text, or `none`.
///
///     cipher sql FILE SECRET PAGE-BYTES
///         runs each line of the input as SQL and prints the first column of each row, then `done`, or `error` and the
///         reason
///     cipher fill DIRECTORY SECRET
///         writes documents, attachments and indexes to the database `store`
///     cipher check DIRECTORY SECRET
///         prints the number of documents, or the error's code, then each fault that the check finds
///     cipher rekey DIRECTORY SECRET SECRET
///         changes the encryption of the database `store` from the first secret to the second
enum CipherDriver {
    static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 3 else { exit(2) }
        let secret = try Secret(arguments[2])
        switch (arguments[0], arguments.count) {
        case ("sql", 4):
            let console = try Console(path: arguments[1], disk: secret.disk(pageBytes: Int(arguments[3]) ?? 0))
            console.run()
        case ("fill", 3): try await Store(directory: arguments[1]).fill(secret)
        case ("check", 3): try await Store(directory: arguments[1]).check(secret)
        case ("rekey", 4): try await Store(directory: arguments[1]).rekey(from: secret, to: Secret(arguments[3]))
        default: exit(2)
        }
    }
}
