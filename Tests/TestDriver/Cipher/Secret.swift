//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitKeys
import GodwitSQLite
import GodwitStore

/// The encryption of a file, parsed from an argument.
enum Secret {
    case none
    case key(EncryptionKey)
    case passphrase(String)

    init(_ text: String) throws {
        let (kind, value) = (text.prefix { $0 != ":" }, String(text.drop { $0 != ":" }.dropFirst()))
        switch kind {
        case "none": self = .none
        case "key": self = .key(try EncryptionKey(hexadecimal: value))
        case "passphrase": self = .passphrase(value)
        default: exit(2)
        }
    }

    func disk(pageBytes: Int) throws -> SQLiteDisk {
        switch self {
        case .none: .system
        case .key(let key): try key.withBytes { try SQLiteDisk.system.encrypted(.key, $0, pageBytes: pageBytes) }
        case .passphrase(var text):
            try text.withUTF8 {
                try SQLiteDisk.system.encrypted(.passphrase, UnsafeRawBufferPointer($0), pageBytes: pageBytes)
            }
        }
    }

    var encryption: Encryption? {
        switch self {
        case .none: nil
        case .key(let key): .key(key)
        case .passphrase(let text): .passphrase(text)
        }
    }
}
