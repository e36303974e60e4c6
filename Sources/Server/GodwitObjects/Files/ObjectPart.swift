//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitStore

/// The part of a data directory that contains objects. This type checks the objects and changes their key, while no
/// server uses the directory.
package struct ObjectPart: DirectoryPart {
    /// The name of the folder.
    package var folderName: String { ObjectDirectory.folderName }

    /// Creates the part.
    package init() {}

    /// Checks all files of a directory that no server has open.
    package func check(_ folder: ModuleFolder) async throws -> [Fault] {
        let directory = try await BlockingPool.shared.run { try ObjectDirectory(folder, manager: nil) }
        defer { directory.close() }
        return try await directory.check().faults
    }

    /// Reads all files completely. Throws an error if one of them is missing or damaged.
    package func checkBeforeKeyChange(_ folder: ModuleFolder) throws { try ObjectConversion(folder).check() }

    /// Writes all files again. In an encrypted folder, they are sealed with a new key. In a plain folder, they are
    /// plain.
    package func changeKey(in folder: ModuleFolder) throws {
        try ObjectConversion(folder).run()
    }
}

extension ObjectDirectory: BackupPart {
    /// The name of the folder.
    package var folderName: String { ObjectDirectory.folderName }

    /// Checks all files while the storage is in use.
    package func findFaults() async throws -> [Fault] { try await check().faults }

    /// Checks all files and the catalogue of a backup.
    package func findFaults(inBackup path: String) async throws -> [Fault] {
        let backup = ModuleFolder(path: path, disk: folder.disk)
        guard DatabaseFiles.exists(path) else { return [] }
        let (check, catalogue) = try await run { _ in
            let catalogue = try CatalogueCopy(inBackup: backup)
            return (try ObjectCheck(ofBackup: backup, catalogue), catalogue)
        }
        defer { catalogue.close() }
        return try await check.run().faults
    }

    /// First copies the catalogue in the state after one commit, and then the files in the copied catalogue. Meanwhile,
    /// the collection removes no files.
    package func backUp(to path: String, previous: String?) async throws -> (bytes: Int, failures: [String]) {
        try await run { $0.pins.hold() }
        defer { pins.release() }
        let copy = BlobFiles(directory: path)
        let catalogue = try await run { directory in
            try ModuleFolder.create(copy.uploads)
            return try directory.catalogue.copy(to: "\(path)/\(ModuleFolder.catalogueName)")
        }
        defer { catalogue.close() }
        let previous = previous.map { BlobFiles(directory: $0) }
        return try await ObjectCopy(from: self, to: copy, previous: previous, catalogue: catalogue).run()
    }
}
