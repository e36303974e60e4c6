//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

// A file with a random key that is encrypted with each of several passphrases.
let file = KeyFile(path: "trips.keyfile")
let key = try await file.create(passphrase: "correct horse", label: "ana")
try await file.addPassphrase("battery staple", label: "ben", openedBy: "correct horse")
print(try file.labels())

// This is fast: the key stays the same, so no database is encrypted again.
try await file.changePassphrase("correct horse", to: "a much longer one")
print(try await file.unlock(passphrase: "a much longer one") == key)
do {
    _ = try await file.unlock(passphrase: "correct horse")
} catch {
    print(error.code)
}
try await file.removePassphrase(label: "ana", openedBy: "battery staple")

// The provider that opens a database.
let provider = KeyFileProvider(path: "trips.keyfile", passphrase: "battery staple")
print(try await provider.key() == key, key)

// A plain key, for a server: 64 hexadecimal digits in a file that only its owner can read.
try key.write(toNewFile: "server.key")
print(try EncryptionKey(file: "server.key") == key)
