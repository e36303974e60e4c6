//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation

// A backup set has a copy of each database's file, and a list of the databases. The files have the same names as in a
// data directory. A database that did not change since the previous set is not copied again. Instead, both sets have a
// link to the same file.

/// A directory with backups of all databases of a server. Each backup is a directory in it, which is called a set.
package struct BackupSets: Sendable {
    /// The path of the directory.
    package let directory: String

    private static let unfinishedSuffix = ".partial"

    /// Creates a reference to a directory, which may be absent.
    package init(directory: String) { self.directory = directory }

    /// The names of all complete sets, the newest first. The name of a set is the time at which its backup began.
    package var names: [String] {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return found.filter { BackupSets.isName($0) && BackupSets.isSet(path(of: $0)) }
            .sorted(by: >)
    }

    /// Whether a path is a complete set.
    package static func isSet(_ path: String) -> Bool { DatabaseFiles.exists("\(path)/\(BackupManifest.fileName)") }

    /// Returns the path of the copy of a database in a set.
    package static func file(of database: String, inSet path: String) throws(StoreError) -> String {
        "\(path)/\(try DatabaseName(database).filePath)"
    }

    /// Whether a text has the form of a set's name. A text of this form cannot be a path to another directory.
    package static func isName(_ text: String) -> Bool {
        let digits = text.utf8.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
        return digits == 14 && text.utf8.count == 16 && text.ends(with: "Z") && text.dropFirst(8).first == "T"
    }

    /// Returns the path of a set.
    package func path(of name: String) -> String { "\(directory)/\(name)" }

    /// Returns the path of a set while it is written.
    func unfinishedPath(of name: String) -> String { path(of: name) + BackupSets.unfinishedSuffix }

    /// Removes a set. Files that other sets also contain remain in those sets.
    package func remove(_ name: String) throws {
        // The directory is renamed first, so that a crash never leaves an incomplete set under its final name.
        let removed = unfinishedPath(of: name)
        if DatabaseFiles.exists(removed) { try FileManager.default.removeItem(atPath: removed) }
        try Backup.publish(path(of: name), as: removed)
        try FileManager.default.removeItem(atPath: removed)
    }

    /// Removes the sets that a crash left unfinished.
    func removeUnfinished() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.ends(with: BackupSets.unfinishedSuffix)
            && BackupSets.isName(String(name.dropLast(BackupSets.unfinishedSuffix.count)))
        {
            try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
    }
}

/// The counts of a backup set.
package struct BackupSummary: Sendable {
    /// The time at which the backup began, in seconds since 1970.
    package var started = 0
    /// The time at which the backup ended, in seconds since 1970.
    package var ended = 0
    /// The number of databases of which the set has a copy.
    package var databases = 0
    /// The number of databases that did not change since the previous set, so that they were not copied.
    package var unchanged = 0
    /// The number of documents in all databases of the set, without deleted documents.
    package var documents = 0
    /// The total size of all files in the set, of databases and of modules, in bytes.
    package var bytes = 0
    /// The number of databases, and of files of modules, that could not be copied or whose copy is damaged.
    package var failures = 0
}

/// A database of a backup set.
package struct BackupEntry: Sendable {
    /// The name of the database. For a file of a server module that could not be copied, this is the module's name and
    /// a number.
    package let name: String
    /// The number of documents, without deleted documents.
    package var documents = 0
    /// The size of the copy in bytes; 0 if there is none.
    package var bytes = 0
    /// The state of the database's files before they were copied.
    var state: FileState?
    /// The security object, in its stored bytes; `nil` if none was set.
    package var security: [UInt8]?
    /// The reason why the database could not be copied, or why its copy is damaged; `nil` if it was copied and the copy
    /// is not damaged.
    package var failure: String?

    /// Whether the set has a copy of the database, which may be damaged.
    package var hasCopy: Bool { bytes > 0 }
}
