//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import GodwitKeys
import GodwitStore

/// One change of several steps, during which the process kills itself.
struct Change {
    private let manager: DatastoreManager
    private let directory: String
    private let isArmed = Armed()

    init(directory: String, killedBefore step: DatabaseStep, key: EncryptionKey?) throws {
        self.directory = directory
        let isArmed = isArmed
        manager = try DatastoreManager(directory: directory, key: key, indexes: []) { reached in
            if reached == step, isArmed.value { kill(getpid(), SIGKILL) }
        }
    }

    func run(_ kind: String) async throws {
        switch kind {
        case "create":
            isArmed.arm()
            try await manager.create(named: "victim")
        case "delete":
            _ = try await manager.datastore(named: "victim").create(Document(id: "a", body: [:]))
            isArmed.arm()
            try await manager.delete(named: "victim")
        case "restore":
            let source = try await manager.datastore(named: "source")
            _ = try await source.create(Document(id: "a", body: [:]))
            try await source.backup(to: directory + "/backup")
            isArmed.arm()
            try await manager.restore(from: directory + "/backup", named: "victim")
        default: exit(2)
        }
    }
}

/// A flag that is set once, before the change that a crash interrupts.
final class Armed: Sendable {
    private let mutex = Mutex(false)

    var value: Bool { mutex.withLock { $0 } }

    func arm() { mutex.withLock { $0 = true } }
}
