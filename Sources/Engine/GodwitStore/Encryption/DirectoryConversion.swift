//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite

/// The conversion of a directory to another key, file by file, the catalogue last.
///
/// All files are checked before the first file is changed. The catalogue must match the old or the new key, and no page
/// may be damaged. Until the change is finished, there is a ``KeyChangeRecord`` in the directory. While this record
/// exists, the directory cannot be opened, and no other change can begin.
struct DirectoryConversion {
    let directory: String
    let old: SQLiteDisk
    let new: SQLiteDisk
    let mark: KeyChangeRecord
    /// The parts of the directory that belong to server modules.
    let parts: [any DirectoryPart]

    private enum KeyMatch {
        case toOld, toNew, toNeither
    }

    private var catalogue: String { "\(directory)/\(Catalogue.fileName)" }

    /// Converts the directory.
    ///
    /// - Parameter progress: Called repeatedly with the number of converted pages and the total.
    /// - Returns: The files that were not changed because they match neither key, relative to the directory. Such a
    ///   file belongs to a database with its own encryption, or the beginning of the file is damaged.
    func run(progress: (_ pages: Int, _ total: Int) -> Void) throws -> [String] {
        guard DatabaseFiles.exists(catalogue) else {
            throw StoreError(.databaseNotFound, "\(directory) is not a directory of databases.")
        }
        let lock = try DirectoryLock(directory: directory)
        defer { _ = lock }
        try mark.checkIsFree(in: directory)
        guard try keyMatch(of: catalogue) != .toNeither else { throw wrongKeys() }
        let modules = ModuleFolder.names(ofModulesIn: directory)
        for name in modules where !parts.contains(where: { $0.folderName.isIdenticalText(to: name) }) {
            throw StoreError(
                .storage,
                "\(directory)/\(name) has files of a server module. Change the key with `godwit encrypt`, `decrypt` or "
                    + "`rekey`. Nothing was changed.")
        }
        let files = DatastoreManager.filesFound(in: directory).filter { $0.ends(with: DatabaseName.fileSuffix) }
            .sorted()
        let matches = try files.map { try keyMatch(of: "\(directory)/\($0)") }
        let databases = zip(files, matches).filter { $0.1 == .toOld }.map { "\(directory)/\($0.0)" }
        for file in databases { try checkPages(of: file) }
        for part in parts where modules.contains(where: part.folderName.isIdenticalText) {
            let folder = ModuleFolder(path: "\(directory)/\(part.folderName)", disk: old)
            if try keyMatch(of: folder.cataloguePath) == .toOld { try part.checkBeforeKeyChange(folder) }
        }
        try removeLeftovers()
        // Partial copies of files may be unencrypted, so they are removed. The only exception is the partial copy of a
        // file that will be converted now, because that conversion may continue the copy.
        for (file, keyMatch) in zip(files, matches) where keyMatch != .toOld {
            FileConversion.abandon("\(directory)/\(file)")
        }
        let moduleCatalogues = modules.map { "\(directory)/\($0)/\(ModuleFolder.catalogueName)" }
        for file in moduleCatalogues where try keyMatch(of: file) == .toNeither { throw wrongKeys() }
        try mark.write(in: directory)
        try convert(databases + moduleCatalogues + [catalogue], progress: progress)
        for part in parts where modules.contains(where: part.folderName.isIdenticalText) {
            try part.changeKey(in: ModuleFolder(path: "\(directory)/\(part.folderName)", disk: new))
        }
        try mark.remove(from: directory)
        return zip(files, matches).filter { $0.1 == .toNeither }.map(\.0)
    }

    private func keyMatch(of file: String) throws -> KeyMatch {
        if try FileConversion.answers(file, on: old) { return .toOld }
        if try FileConversion.answers(file, on: new) { return .toNew }
        guard old.cipher != nil || DatabaseFiles.isLikelyEncrypted(file) else {
            throw StoreError(
                .corrupt,
                "\(file) is damaged or not a Godwit database. Nothing was changed. Restore it from a backup, or "
                    + "delete it, before the key of its directory is changed.")
        }
        return .toNeither
    }

    /// Removes the files of unfinished creations and backups that a crash left. These files may be unencrypted.
    private func removeLeftovers() throws {
        for file in DatastoreManager.filesFound(in: directory) where !file.ends(with: DatabaseName.fileSuffix) {
            try DatabaseFiles.removeFile("\(directory)/\(file)")
        }
        try TemporaryFiles.removeAll(in: directory)
    }

    private func checkPages(of file: String) throws {
        guard old.cipher != nil else { return }
        // The log is first copied into the file, because a page that a crash damaged in the file may be intact in the
        // log.
        let connection = try SQLiteConnection(path: file, access: .readWrite(creating: false), disk: old)
        try connection.checkpoint(.truncate)
        connection.close()
        guard let fault = try FileConversion.damagedPages(of: file, on: old, faultsMax: 1).first else { return }
        throw StoreError(
            .corrupt,
            "\(file): \(fault). Nothing was changed. `godwit doctor` lists all damaged pages; restore the database from a "
                + "backup, or delete it, before its key is changed.")
    }

    private func convert(_ files: [String], progress: (Int, Int) -> Void) throws {
        let pages = try files.map { try DatabaseFiles.byteCount($0) / PageCipher.pageBytes }
        let total = pages.reduce(0, +)
        var convertedPages = 0
        for (file, count) in zip(files, pages) {
            do {
                try FileConversion.convert(file, from: old, to: new) {
                    // The new file may be longer than the old file, so the number of pages is limited to the total.
                    progress(convertedPages + min($0, count), total)
                }
            } catch {
                throw StoreError(wrapping: error, subject: file)
            }
            convertedPages += count
            progress(convertedPages, total)
        }
    }

    private func wrongKeys() -> StoreError {
        let advice = old.cipher == nil ? " If it is encrypted with another key, `godwit rekey` changes that." : ""
        return StoreError(
            .wrongKey, "\(catalogue) is encrypted neither with the given old key nor with the new one.\(advice)")
    }
}
