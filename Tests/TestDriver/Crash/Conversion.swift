//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitKeys
import GodwitStore

/// Changes the key of files, or removes it.
struct Conversion {
    /// The directory, or the path of a backup.
    private let directory: String
    private let old, new: EncryptionKey?

    init(directory: String, from old: String, to new: String) throws {
        self.directory = directory
        (self.old, self.new) = try (Conversion.key(old), Conversion.key(new))
    }

    private static func key(_ text: String) throws -> EncryptionKey? {
        text == "none" ? nil : try EncryptionKey(hexadecimal: text)
    }

    /// Changes the key of a backup, and kills the process when a number of pages is copied.
    func killItself(at pages: Int) async throws {
        try await DatastoreManager.changeKey(ofBackup: directory, from: old, to: new) { done, _ in
            if done >= pages { kill(getpid(), SIGKILL) }
        }
    }

    /// Changes the key of a database or of the directory. Prints `ready` before the change.
    ///
    /// - Parameter name: The name of a database whose directory is plain, or `.` for the directory.
    func run(_ name: String) async throws {
        guard name != "." else {
            say("ready")
            try await DatastoreManager.changeKey(ofDirectory: directory, from: old, to: new)
            return
        }
        let manager = try DatastoreManager(directory: directory, indexes: [])
        say("ready")
        switch (old, new) {
        case (nil, let new?): try await manager.encrypt(named: name, with: .key(new))
        case (let old?, nil): try await manager.decrypt(named: name, with: .key(old))
        case (let old?, let new?): try await manager.rekey(named: name, from: .key(old), to: .key(new))
        case (nil, nil): exit(2)
        }
        await manager.close()
    }
}
