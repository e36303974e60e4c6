//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitKeys
import GodwitSQLite
import GodwitStore

/// A SQLite file of Cloudant Sync, open for reading. Neither the file nor its folder is changed.
///
/// If the app did not close the file, some pages are in its log. SQLite can read a log only if it may create further
/// files in the folder of the log. Therefore, a file with a log is copied, together with the log, to a temporary
/// folder. This folder is removed when the file is closed.
final class OldFile: Sendable {
    private let connection: Mutex<SQLiteConnection>
    /// The folder with the copy; `nil` if the file itself is open.
    private let copyFolder: String?

    /// Opens a file. Blocks the thread for disk access.
    init(_ path: String, key: EncryptionKey?) throws(StoreError) {
        guard DatabaseFiles.exists(path) else { throw StoreError(.notFound, "\(path) does not exist.") }
        for file in ["", "-wal", "-journal"].map({ path + $0 }) where DatabaseFiles.exists(file) {
            try OldFile.checkIsRegular(file)
        }
        let logs = ["-wal", "-journal"].filter { OldFile.byteCount("\(path)\($0)") > 0 }
        var folder: String?
        do {
            folder = try logs.isEmpty ? nil : OldFile.copy(path, logs)
            var disk = SQLiteDisk.system
            if let key { disk = try key.withBytes { try disk.encrypted(.key, $0, version: .sqlCipher3) } }
            let opened = try SQLiteConnection(
                path: folder.map { "\($0)/\(OldFile.copyName)" } ?? path,
                access: folder == nil ? .readOnlyAtRest : .readWrite(creating: false), disk: disk)
            _ = try opened.integer("SELECT count(*) FROM sqlite_master")
            connection = Mutex(opened)
            copyFolder = folder
        } catch {
            folder.map { try? FileManager.default.removeItem(atPath: $0) }
            throw OldFile.explained(error, path, hasKey: key != nil)
        }
    }

    deinit { close() }

    /// Checks that a path is a file and no symbolic link, pipe or device: a copied folder must not lead to other files.
    private static func checkIsRegular(_ path: String) throws(StoreError) {
        do {
            _ = try SystemFile(regularFile: path)
        } catch {
            throw StoreError(
                .storage, "\(path) is not a regular file, or cannot be read (\(error)). Copy the file itself.",
                cause: error)
        }
    }

    private static let copyName = "copy.sqlite"

    private static func byteCount(_ path: String) -> Int {
        (try? SystemFile(path, O_RDONLY).byteCount()) ?? 0
    }

    /// Copies a file and its logs to a new folder that only its owner can read.
    private static func copy(_ path: String, _ logs: [String]) throws -> String {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("godwit-import-\(UUID().uuidString)").path
        try ModuleFolder.create(folder)
        do {
            for suffix in [""] + logs {
                try FileManager.default.copyItem(atPath: "\(path)\(suffix)", toPath: "\(folder)/\(copyName)\(suffix)")
            }
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
        return folder
    }

    private static func explained(_ error: any Error, _ path: String, hasKey: Bool) -> StoreError {
        let error = StoreError(wrapping: error, subject: path)
        switch error.code {
        case .wrongKey:
            return StoreError(
                .wrongKey, "\(path): the key is wrong, or the file is damaged at its beginning.", cause: error)
        case .corrupt where !hasKey:
            return StoreError(
                .encrypted,
                "\(path) is encrypted, damaged, or no datastore of Cloudant Sync. If it is encrypted, specify its key.",
                cause: error)
        default: return error
        }
    }

    /// Runs a query. Blocks the thread for disk access.
    func read<Result: Sendable>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try connection.withLock { try body($0) }
    }

    /// Closes the file, and removes its copy.
    func close() {
        connection.withLock { $0.close() }
        copyFolder.map { try? FileManager.default.removeItem(atPath: $0) }
    }
}
