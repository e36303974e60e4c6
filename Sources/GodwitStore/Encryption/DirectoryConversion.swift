//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// A directory on its way to another key, file by file, the list of databases last.
///
/// All files are looked at before the first is touched: the list must answer to the old key or the new one, and no page may be
/// damaged. A mark in the directory says that a change is under way, so that nobody opens it in between or begins another.
struct DirectoryConversion {
    let directory: String
    let old: SQLiteDisk
    let new: SQLiteDisk
    let mark: KeyChangeMark

    private enum Answer {
        case toOld, toNew, toNeither
    }

    private var catalogue: String { "\(directory)/\(Catalogue.fileName)" }

    /// - Parameter progress: Called now and then with the pages that are done and the pages in all.
    /// - Returns: Files that were left as they are, since they answer to neither key: those of databases with an encryption
    ///   of their own, or damaged at their beginning; relative to the directory.
    func run(progress: (_ pages: Int, _ total: Int) -> Void) throws -> [String] {
        guard DatabaseFiles.exists(catalogue) else {
            throw StoreError(.databaseNotFound, "\(directory) is no directory of databases.")
        }
        let lock = try DirectoryLock(directory: directory)
        defer { _ = lock }
        try mark.checkIsFree(in: directory)
        guard try answer(of: catalogue) != .toNeither else { throw wrongKeys() }
        let files = DatastoreManager.filesFound(in: directory).filter { $0.hasSuffix(DatabaseName.fileSuffix) }.sorted()
        let answers = try files.map { try answer(of: "\(directory)/\($0)") }
        let databases = zip(files, answers).filter { $0.1 == .toOld }.map { "\(directory)/\($0.0)" }
        for file in databases { try checkPages(of: file) }
        try removeLeftovers()
        // A copy that was begun of one that changes now may be gone on with; others may be plain.
        for (file, answer) in zip(files, answers) where answer != .toOld {
            FileConversion.abandon("\(directory)/\(file)")
        }
        try mark.write(in: directory)
        try convert(databases + [catalogue], progress: progress)
        try mark.remove(from: directory)
        return zip(files, answers).filter { $0.1 == .toNeither }.map(\.0)
    }

    private func answer(of file: String) throws -> Answer {
        if try FileConversion.answers(file, on: old) { return .toOld }
        if try FileConversion.answers(file, on: new) { return .toNew }
        guard old.cipher != nil || DatabaseFiles.isLikelyEncrypted(file) else {
            throw StoreError(
                .corrupt,
                "\(file) is damaged or is no Godwit database. Nothing was changed. Restore the database from a backup, or "
                    + "delete it, before its directory's key is changed.")
        }
        return .toNeither
    }

    /// What crashes left of databases that were being made, and of backups; it may be plain.
    private func removeLeftovers() throws {
        for file in DatastoreManager.filesFound(in: directory) where !file.hasSuffix(DatabaseName.fileSuffix) {
            try DatabaseFiles.removeFile("\(directory)/\(file)")
        }
        try PassingFiles.removeAll(in: directory)
    }

    private func checkPages(of file: String) throws {
        guard old.cipher != nil else { return }
        // What a crash tore may be whole in the log.
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
        var done = 0
        for (file, count) in zip(files, pages) {
            do {
                try FileConversion.convert(file, from: old, to: new) {
                    // A file may become longer than it was.
                    progress(done + min($0, count), total)
                }
            } catch {
                throw StoreError(wrapping: error, subject: file)
            }
            done += count
            progress(done, total)
        }
    }

    private func wrongKeys() -> StoreError {
        let advice = old.cipher == nil ? " If it is encrypted with another key, `godwit rekey` changes that." : ""
        return StoreError(
            .wrongKey, "\(catalogue) answers to neither the key that it should have nor the new one.\(advice)")
    }
}
