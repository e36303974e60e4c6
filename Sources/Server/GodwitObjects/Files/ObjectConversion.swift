//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitSQLite
import GodwitStore

/// Writes all files of a storage again, after the key of its catalogue has been changed.
///
/// Each file is replaced separately: a new file with another name is written, the row is changed, and the old file is
/// removed. If the process crashes, the conversion continues with the rows that still have an old key. Each conversion
/// creates a new key for the files of the storage. Therefore an old key cannot decrypt new files.
struct ObjectConversion {
    private let folder: ModuleFolder

    init(_ folder: ModuleFolder) { self.folder = folder }

    /// Checks all files that objects need. Throws an error if one of them is missing or damaged.
    func check() throws {
        guard folder.exists else { return }
        let directory = try ObjectDirectory(folder, manager: nil)
        defer { directory.close() }
        var last: [UInt8] = []
        while case let rows = try rows(of: directory, after: last, all: true), let end = rows.last {
            for row in rows {
                var reader = try BlobReader(
                    row.piece, range: 0..<row.piece.byteCount, at: directory.files.path(named: row.name),
                    try directory.stored.form(ofKey: row.key))
                try reader.readToEnd()
            }
            last = end.piece.blob.digest
        }
    }

    func run() throws {
        guard folder.exists else { return }
        let directory = try prepared()
        defer { directory.close() }
        var last: [UInt8] = []
        while case let rows = try rows(of: directory, after: last, all: false), let end = rows.last {
            for row in rows { try convert(row, in: directory) }
            last = end.piece.blob.digest
        }
        try finish(directory)
    }

    /// Opens the storage with a new key. If this conversion continues an interrupted one, the new key exists already.
    /// Otherwise, a new key is created.
    private func prepared() throws -> ObjectDirectory {
        let directory = try ObjectDirectory(folder, manager: nil)
        for name in ModuleFolder.names(in: directory.files.uploads) {
            try DatabaseFiles.removeFile("\(directory.files.uploads)/\(name)")
        }
        let isRunning = try directory.catalogue.read {
            try $0.integer("SELECT count(*) FROM settings WHERE key = 'converting'") > 0
        }
        guard folder.isEncrypted, !isRunning else { return directory }
        try directory.catalogue.write { connection in
            try connection.run("INSERT INTO settings VALUES('converting', '1')")
            try ObjectDirectory.addKey(on: connection)
        }
        directory.close()
        return try ObjectDirectory(folder, manager: nil)
    }

    private struct Row {
        let piece: Piece
        let name: String
        let key: Int?
    }

    /// Returns the rows of files that are not sealed with the new key. Only rows whose digests follow `digest` are
    /// returned.
    ///
    /// - Parameter all: Whether to return the rows of all files that objects need, including files with the new key.
    private func rows(of directory: ObjectDirectory, after digest: [UInt8], all: Bool) throws -> [Row] {
        try directory.catalogue.read { connection in
            try connection.rows(
                """
                SELECT digest, bytes, file, key FROM blobs WHERE digest > ?1 AND refs > 0 AND (?4 OR key IS NOT ?2)
                ORDER BY digest LIMIT ?3
                """,
                {
                    $0.bind(digest, at: 1)
                    $0.bind(directory.key?.number, at: 2)
                    $0.bind(ObjectLimits.sliceRowsMax, at: 3)
                    $0.bind(all ? 1 : 0, at: 4)
                }
            ) {
                Row(
                    piece: Piece(blob: BlobID(digest: $0.bytes(0) ?? []), byteCount: $0.int(1)), name: $0.string(2),
                    key: $0.optionalInt(3))
            }
        }
    }

    private func convert(_ row: Row, in directory: ObjectDirectory) throws {
        let old = directory.files.path(named: row.name)
        var reader = try BlobReader(
            row.piece, range: 0..<row.piece.byteCount, at: old, try directory.stored.form(ofKey: row.key))
        let writer = try BlobWriter(directory.files, form: directory.form)
        while case let bytes = try reader.read(), !bytes.isEmpty { try writer.appendBlocking(bytes) }
        let result = try writer.finish()
        guard result.piece == row.piece else {
            throw ObjectError(.corrupt, "The file \(row.name) is damaged. `godwit doctor` lists all damage.")
        }
        let name = BlobFiles.name(of: row.piece.blob, directory.form)
        try directory.files.publish(writer.temporaryPath, as: directory.files.path(named: name))
        writer.markMoved()
        let number = directory.key?.number
        try directory.catalogue.write { connection in
            _ = try ObjectDirectory.register(row.piece, file: name, key: number, on: connection)
        }
        try DatabaseFiles.removeFile(old)
    }

    /// Removes the rows of unused files, and the keys that no file needs any more. Files without a row are also
    /// removed, because they may be plain or sealed with an old key.
    private func finish(_ directory: ObjectDirectory) throws {
        let number = directory.key?.number
        try directory.catalogue.write { try $0.run("DELETE FROM blobs WHERE refs = 0") }
        for file in directory.files.folders {
            for name in directory.files.names(inFolder: file) where try !directory.stored.hasRow(ofFile: name) {
                try DatabaseFiles.removeFile("\(directory.files.directory)/\(file)/\(name)")
            }
        }
        directory.isSwept.withLock { $0 = true }
        try directory.catalogue.write { connection in
            try connection.run("DELETE FROM keys WHERE number IS NOT ?1") { $0.bind(number, at: 1) }
            try connection.run("DELETE FROM settings WHERE key = 'converting'")
        }
    }
}
