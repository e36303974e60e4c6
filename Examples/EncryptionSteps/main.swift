//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

let manager = try DatastoreManager(directory: "encryption-steps")
let diary = try await manager.datastore(named: "diary", encryption: .passphrase("correct horse"))
_ = try await diary.create(Document(id: "monday", body: ["text": "saw a godwit"]))
await manager.close(named: "diary")

for guess in [nil, Encryption.passphrase("battery staple")] {
    do {
        _ = try await manager.existingDatastore(named: "diary", encryption: guess)
    } catch {
        print(error.code)
    }
}

// A key in place of the passphrase: the file is encrypted again.
let key = EncryptionKey.random()
try await manager.rekey(named: "diary", from: .passphrase("correct horse"), to: .key(key))
let again = try await manager.datastore(named: "diary", encryption: .key(key))
print(try again.document("monday").body)

// A copy without encryption.
try await again.backup(to: "encryption-steps/plain.backup", as: .plain)
try await manager.restore(from: "encryption-steps/plain.backup", named: "open")
print(try await manager.datastore(named: "open").documentCount)
await manager.close()
