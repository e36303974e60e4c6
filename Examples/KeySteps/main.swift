//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

// A file that holds a random key, wrapped for each of several passphrases.
let file = KeyFile(path: "trips.keyfile")
let key = try await file.create(passphrase: "correct horse", label: "ana")
try await file.addPassphrase("battery staple", label: "ben", openedBy: "correct horse")
print(try file.labels())

// Changed in a moment: the key stays, and nothing is encrypted anew.
try await file.changePassphrase("correct horse", to: "a much longer one")
print(try await file.unlock(passphrase: "a much longer one") == key)
do {
    _ = try await file.unlock(passphrase: "correct horse")
} catch {
    print(error.code)
}
try await file.removePassphrase(label: "ana", openedBy: "battery staple")

// What a database is given.
let provider = KeyFileProvider(path: "trips.keyfile", passphrase: "battery staple")
print(try await provider.key() == key, key)

// A plain key, for a server: 64 hexadecimal digits in a file for its owner alone.
try key.write(toNewFile: "server.key")
print(try EncryptionKey(file: "server.key") == key)
