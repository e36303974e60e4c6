//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A valid name of a database, by CouchDB's rule.
///
/// A name begins with a lower-case letter and may contain lower-case letters, digits and `_$()+-/`; the names of
/// CouchDB's own databases begin with an underscore.
package struct DatabaseName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in bytes.
    package static let bytesMax = 238

    /// The names of CouchDB's system databases.
    package static let systemNames: Set<String> = ["_users", "_replicator", "_global_changes", "_audit"]

    /// The name as the user wrote it.
    package let description: String

    /// Checks a name.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidDatabaseName`` and CouchDB's message.
    package init(_ name: String) throws(StoreError) {
        let isValid =
            name.utf8.count <= DatabaseName.bytesMax && name.utf8.allSatisfy(DatabaseName.isAllowed)
            && (name.utf8.first.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 } == true
                || DatabaseName.systemNames.contains(name))
        guard isValid else {
            throw StoreError(
                .invalidDatabaseName,
                "Name: '\(name)'. Only lowercase characters (a-z), digits (0-9), and any of the characters _, $, (, ), "
                    + "+, -, and / are allowed. Must begin with a letter.")
        }
        description = name
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "_$()+-/".utf8.contains(byte)
        }
    }

    /// The suffix of the names of database files.
    static let fileSuffix = ".godwit"

    /// The file's path relative to the manager's directory: a folder name of two hexadecimal digits, and a file name of
    /// 32 hexadecimal digits. The digits come from the SHA-256 of the database's name. Therefore, one folder does not
    /// contain too many files, and every file system accepts the file name.
    package var filePath: String {
        let digits = MessageDigest.Algorithm.sha256.digest(of: description.utf8).prefix(16).hexadecimal
        return "\(digits.prefix(2))/\(digits)\(DatabaseName.fileSuffix)"
    }
}
