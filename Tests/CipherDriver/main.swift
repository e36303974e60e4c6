//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// The program with which the tests of encrypted files write and read files. The tests also kill it. A secret is `key:`
/// and 64 hexadecimal digits, `passphrase:` and a text, or `none`.
///
///     CipherDriver sql FILE SECRET PAGE-BYTES
///         runs each line of the input as SQL and prints the first column of each row, then `done`, or `error` and the
///         reason
///     CipherDriver fill DIRECTORY SECRET
///         writes documents, attachments and indexes to the database `store`
///     CipherDriver check DIRECTORY SECRET
///         prints the number of documents, or the error's code, then each fault that the check finds
///     CipherDriver rekey DIRECTORY SECRET SECRET
///         changes the encryption of the database `store` from the first secret to the second
let arguments = CommandLine.arguments
guard arguments.count >= 4 else { exit(2) }
let secret = try Secret(arguments[3])
switch (arguments[1], arguments.count) {
case ("sql", 5):
    let console = try Console(path: arguments[2], disk: secret.disk(pageBytes: Int(arguments[4]) ?? 0))
    console.run()
case ("fill", 4): try await Store(directory: arguments[2]).fill(secret)
case ("check", 4): try await Store(directory: arguments[2]).check(secret)
case ("rekey", 5): try await Store(directory: arguments[2]).rekey(from: secret, to: Secret(arguments[4]))
default: exit(2)
}
