//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitDatabase

// Answers DIRECTORY [KEY]: prints the answers to 10 000 queries, of a database that the first run in the directory creates.
// With a key of 64 hexadecimal digits the file is encrypted.
let arguments = CommandLine.arguments.dropFirst()
let encryption = try arguments.dropFirst().first.map { Encryption.key(try EncryptionKey(hexadecimal: $0)) }
let manager = try DatastoreManager(directory: arguments.first ?? "answers")
let words = try await manager.datastore(named: "words", encryption: encryption)
if try words.documentCount == 0 {
    var values = Values(seed: 1)
    let documents = (0..<1_000).map { _ in values.document() }
    try await words.write { transaction in
        for document in documents { _ = try transaction.create(document) }
    }
    try await words.ensureIndex(["name"], named: "by-name")
    try await words.ensureIndex(["n", "name"], named: "by-number")
    try await words.ensureTextIndex(["text"], named: "by-text", analyzer: "standard")
}
var values = Values(seed: 2)
for number in 0..<10_000 {
    print(number, try await words.find(values.query()).documents.compactMap(\.id).joined(separator: " "))
}
await manager.close()
