//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitSQLite
import GodwitStore

/// Copies the stored files of a storage to a backup. If the previous backup contains a file, the backup gets a hard
/// link to it. This is correct because files never change. Any other file is copied, and its copy is read completely
/// and checked.
struct ObjectCopy {
    private let source: ObjectDirectory
    private let target: BlobFiles
    private let previous: BlobFiles?
    /// The copied catalogue, which defines the files of the copy.
    private let catalogue: CatalogueCopy

    init(from source: ObjectDirectory, to target: BlobFiles, previous: BlobFiles?, catalogue: CatalogueCopy) {
        self.source = source
        self.catalogue = catalogue
        self.target = target
        self.previous = previous
    }

    private struct Row: Sendable {
        let piece: Piece
        let name: String
        let key: Int?
    }

    /// - Returns: The number of bytes of the files, and the reasons why files could not be copied.
    func run() async throws -> (bytes: Int, failures: [String]) {
        var (bytes, failures, last) = (0, [String](), [UInt8]())
        while true {
            let rows = try await rows(after: last)
            for row in rows {
                try Task.checkCancellation()
                let (count, failure) = try await source.run { _ in try copyUnlessDamaged(row) }
                bytes += count
                if let failure { failures.append("\(row.name): \(failure)") }
            }
            guard rows.count == ObjectLimits.sliceRowsMax, let next = rows.last else { break }
            last = next.piece.blob.digest
        }
        try await source.run { _ in
            for folder in target.folders { try DatabaseFiles.flush("\(target.directory)/\(folder)") }
            try DatabaseFiles.flush(target.directory)
        }
        return (bytes, failures)
    }

    private func rows(after digest: [UInt8]) async throws(ObjectError) -> [Row] {
        try await source.run { _ in
            try catalogue.read { connection in
                try connection.rows(
                    """
                    SELECT digest, bytes, file, key FROM blobs WHERE digest > ?1 AND refs > 0 ORDER BY digest LIMIT ?2
                    """,
                    {
                        $0.bind(digest, at: 1)
                        $0.bind(ObjectLimits.sliceRowsMax, at: 2)
                    }
                ) {
                    Row(
                        piece: Piece(blob: BlobID(digest: $0.bytes(0) ?? []), byteCount: $0.int(1)), name: $0.string(2),
                        key: $0.optionalInt(3))
                }
            }
        }
    }

    /// Links or copies one file.
    ///
    /// - Returns: The file's size, and its damage; `nil` if it is not damaged.
    private func copyUnlessDamaged(_ row: Row) throws -> (byteCount: Int, failure: String?) {
        do {
            return (try copy(row), nil)
        } catch let error as ObjectError where error.code == .corrupt {
            // The damaged copy is removed, because the next backup would otherwise link it.
            try DatabaseFiles.removeFile(target.path(named: row.name))
            return (0, error.message)
        }
    }

    /// Links or copies one file.
    ///
    /// - Returns: Its size.
    private func copy(_ row: Row) throws -> Int {
        let path = target.path(named: row.name)
        try ModuleFolder.create(DatabaseFiles.folder(of: path))
        if let previous, link(previous.path(named: row.name), path) == 0 { return try DatabaseFiles.byteCount(path) }
        let form = try source.stored.form(ofKey: row.key)
        // The copy is checked and not the original, so that errors of copying are also found.
        try ObjectCopy.copy(source.files.path(named: row.name), to: path)
        var reader = try BlobReader(row.piece, range: 0..<row.piece.byteCount, at: path, form)
        try reader.readToEnd()
        return try DatabaseFiles.byteCount(path)
    }

    /// Copies and flushes one file.
    static func copy(_ path: String, to target: String) throws {
        guard DatabaseFiles.exists(path) else { throw ObjectError(.corrupt, "The file is missing.") }
        let source = try SystemFile(path, O_RDONLY)
        let copy = try SystemFile(target, O_WRONLY | O_CREAT | O_EXCL)
        var bytes = try source.read(ObjectLimits.pieceBytes)
        while !bytes.isEmpty {
            try copy.write(bytes)
            bytes = try source.read(ObjectLimits.pieceBytes)
        }
        try copy.flush()
    }
}
