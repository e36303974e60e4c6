//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitQuery
import GodwitStore

/// The database `store` of a directory.
struct Store {
    private static let name = "store"
    private let manager: DatastoreManager

    init(directory: String) throws {
        manager = try DatastoreManager(directory: directory, durability: .normal)
    }

    func fill(_ secret: Secret) async throws {
        let store = try await manager.datastore(named: Store.name, encryption: secret.encryption)
        try await store.ensureIndex(["n"], named: "n")
        try await store.ensureTextIndex(named: "words")
        for number in 0..<60 {
            let bytes = [UInt8](repeating: UInt8(number), count: number * 500)
            _ = try await store.create(
                Document(
                    id: "d\(number)", body: ["n": .integer(Int64(number)), "text": "quick brown fox \(number)"],
                    attachments: ["x": .data(bytes, contentType: "t/x")]))
        }
        await manager.close()
    }

    func check(_ secret: Secret) async throws {
        do {
            let store = try await manager.existingDatastore(named: Store.name, encryption: secret.encryption)
            say("\(try store.documentCount)")
            for fault in try await store.check() { say("\(fault)") }
        } catch let error as StoreError {
            say("\(error.code)")
        }
        await manager.close()
    }

    func rekey(from old: Secret, to new: Secret) async throws {
        switch (old.encryption, new.encryption) {
        case (nil, let new?): try await manager.encrypt(named: Store.name, with: new)
        case (let old?, nil): try await manager.decrypt(named: Store.name, with: old)
        case (let old?, let new?): try await manager.rekey(named: Store.name, from: old, to: new)
        case (nil, nil): exit(2)
        }
        await manager.close()
    }
}
