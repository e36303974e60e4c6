//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
package import GodwitSQLite

/// A folder of a data directory in which a server module keeps files that are not databases.
///
/// The file `catalogue.sqlite` in the folder has the encryption of the directory. A change of the directory's key
/// converts this file together with the databases.
package struct ModuleFolder: Sendable {
    /// The path of the folder.
    package let path: String
    /// The disk interface of the directory.
    package let disk: SQLiteDisk

    /// Whether the directory is encrypted.
    package var isEncrypted: Bool { disk.cipher != nil }

    /// The name of the module's catalogue.
    package static let catalogueName = Catalogue.fileName

    /// The path of the module's catalogue.
    package var cataloguePath: String { "\(path)/\(ModuleFolder.catalogueName)" }

    /// Whether the module has a catalogue here.
    package var exists: Bool { DatabaseFiles.exists(cataloguePath) }

    /// Creates a reference to a folder, which need not exist.
    package init(path: String, disk: SQLiteDisk) {
        self.path = path
        self.disk = disk
    }

    /// Creates the folder if it is absent. Only its owner can read it.
    package func create() throws {
        try ModuleFolder.create(path)
    }

    /// Creates a folder that only its owner can read, together with its absent parents. Flushes the name of the folder.
    /// Does nothing if the folder exists.
    package static func create(_ path: String) throws {
        guard !DatabaseFiles.exists(path) else { return }
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: StoreLimits.backupDirectoryMode])
        try DatabaseFiles.flush(DatabaseFiles.folder(of: path))
    }

    /// The names of the files and folders in a folder; none if it cannot be read.
    package static func names(in path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// The names of the folders of all modules in a data directory or a backup of it.
    static func names(ofModulesIn directory: String) -> [String] {
        names(in: directory).sorted().filter { DatabaseFiles.exists("\(directory)/\($0)/\(Catalogue.fileName)") }
    }

    /// Copies all files of the folder and its subfolders to a new folder, and flushes them. Empty folders are not
    /// copied.
    func copyFiles(to target: String) throws {
        for name in ModuleFolder.names(in: path) {
            let (source, copy) = ("\(path)/\(name)", "\(target)/\(name)")
            if DatabaseFiles.isFolder(source) {
                try ModuleFolder(path: source, disk: disk).copyFiles(to: copy)
            } else {
                try ModuleFolder.create(target)
                try FileManager.default.copyItem(atPath: source, toPath: copy)
                try DatabaseFiles.flush(copy)
            }
        }
        if DatabaseFiles.exists(target) { try DatabaseFiles.flush(target) }
    }
}

/// The files of a server module in a data directory. Backups, checks and key changes of the directory include these
/// files.
package protocol DirectoryPart: Sendable {
    /// The name of the module's folder.
    var folderName: String { get }

    /// Checks that all files can be read, before anything is changed.
    ///
    /// - Parameter folder: The folder with its current encryption.
    /// - Throws: An error that names a missing or damaged file.
    func checkBeforeKeyChange(_ folder: ModuleFolder) throws

    /// Writes all files except the catalogue again, with the encryption of the folder. Files that already have this
    /// encryption are not changed, so that an interrupted change can continue.
    ///
    /// - Parameter folder: The folder, whose catalogue has the new encryption.
    func changeKey(in folder: ModuleFolder) throws

    /// Checks all files of a folder.
    ///
    /// - Returns: The inconsistencies.
    func check(_ folder: ModuleFolder) async throws -> [Fault]
}

/// The files of a running server module, which are included in backups of all databases.
package protocol BackupPart: Sendable {
    /// The name of the module's folder in the data directory. The module's folder in a backup has the same name.
    var folderName: String { get }

    /// Checks the module's files while they are in use.
    ///
    /// - Returns: The first inconsistencies.
    func findFaults() async throws -> [Fault]

    /// Checks the module's files in a backup, without changing them.
    ///
    /// - Parameter path: The module's folder in the backup.
    /// - Returns: The first inconsistencies; none if the backup has no files of the module.
    func findFaults(inBackup path: String) async throws -> [Fault]

    /// Writes one state of the module's files to a new folder.
    ///
    /// - Parameters:
    ///   - path: The path of the new folder, which must not exist yet.
    ///   - previous: The module's folder in the previous backup; `nil` if there is no previous backup. If a file is
    ///     unchanged, the new backup contains a link to the file in this folder.
    /// - Returns: The number of bytes, and the reasons why files could not be copied.
    func backUp(to path: String, previous: String?) async throws -> (bytes: Int, failures: [String])
}

extension DatastoreManager {
    /// Returns the folder of a server module.
    package func folder(named name: String) -> ModuleFolder { ModuleFolder(path: "\(directory)/\(name)", disk: disk) }

    /// The modules whose files backups and checks include.
    package var includedParts: [any BackupPart] { backupParts.withLock { $0 } }

    /// Includes a module's files in backups and checks of all databases.
    package func include(_ part: any BackupPart) { backupParts.withLock { $0.append(part) } }

    /// Runs an operation that must succeed on a full disk, such as a deletion. Blocks for the disk.
    package func performOnFullDisk<Result>(_ body: () throws -> Result) throws -> Result { try reserve.perform(body) }

    /// Throws if the reserved space was released because the disk is full, so that writes are refused. Blocks for the
    /// disk.
    package func checkFreeSpace() throws(StoreError) { try reserve.checkFreeSpace() }
}
