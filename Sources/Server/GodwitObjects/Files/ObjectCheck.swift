//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitSQLite
package import GodwitStore

extension ObjectDirectory {
    /// Checks all files and the catalogue while the storage is in use.
    ///
    /// - Returns: The first inconsistencies, and the number of stored objects.
    package func check() async throws -> (faults: [Fault], objectCount: Int) { try await ObjectCheck(of: self).run() }
}

/// Checks a storage that is in use, or a backup of a storage. It finds files that are missing, damaged or not in the
/// catalogue. It also finds wrong numbers of references, and wrong counts of objects and bytes.
struct ObjectCheck: Sendable {
    private let stored: StoredFiles
    private let catalogue: any ReadableCatalogue
    /// The pins of the storage; `nil` for a backup. The check pins each file while it reads the file, because the
    /// collection may remove files during the check.
    private let pins: BlobPins?

    /// Creates the check of a storage in use.
    init(of directory: ObjectDirectory) { self.init(directory.stored, pins: directory.pins) }

    /// Creates the check of a backup.
    ///
    /// - Parameter catalogue: The catalogue in the backup.
    init(ofBackup folder: ModuleFolder, _ catalogue: CatalogueCopy) throws {
        let keys = try StoredFiles.keys(in: catalogue)
        self.init(
            StoredFiles(
                files: BlobFiles(directory: folder.path), catalogue: catalogue,
                keys: Dictionary(keys, uniquingKeysWith: { $1 })),
            pins: nil)
    }

    private init(_ stored: StoredFiles, pins: BlobPins?) {
        self.stored = stored
        catalogue = stored.catalogue
        self.pins = pins
    }

    /// Checks all files and the catalogue.
    ///
    /// - Returns: The first inconsistencies, and the number of stored objects.
    func run() async throws -> (faults: [Fault], objectCount: Int) {
        let start = ObjectDirectory.now
        var faults: [String] = []
        try await checkFiles(&faults)
        for folder in try await onPool({ stored.files.folders }) {
            try Task.checkCancellation()
            faults += try await onPool { try foreignFiles(in: folder, before: start) }
        }
        faults += try await onPool {
            try foreignEntries()
                + catalogue.readSnapshot { connection in
                    try ObjectCheck.wrongCounts(on: connection) + ObjectCheck.wrongReferences(on: connection)
                }
        }
        let count = try await onPool { try catalogue.read { try $0.integer("SELECT count(*) FROM objects") } }
        return (faults.prefix(ObjectLimits.faultsMax).map { Fault(description: $0) }, count)
    }

    private func onPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        do {
            return try await BlockingPool.shared.run(body)
        } catch {
            throw ObjectError(storing: error, stored.files.directory)
        }
    }

    /// Reads all stored files completely.
    private func checkFiles(_ faults: inout [String]) async throws {
        var last: [UInt8] = []
        while true {
            let start = last
            let blobs = try await onPool {
                try catalogue.read { connection in
                    try connection.rows(
                        "SELECT digest, bytes, refs FROM blobs WHERE digest > ?1 ORDER BY digest LIMIT ?2",
                        {
                            $0.bind(start, at: 1)
                            $0.bind(ObjectLimits.sliceRowsMax, at: 2)
                        }
                    ) { (Piece(blob: BlobID(digest: $0.bytes(0) ?? []), byteCount: $0.int(1)), $0.int(2)) }
                }
            }
            for (piece, references) in blobs where faults.count < ObjectLimits.faultsMax {
                try Task.checkCancellation()
                if let fault = try await fault(of: piece), references > 0 { faults.append(fault) }
            }
            guard blobs.count == ObjectLimits.sliceRowsMax, let next = blobs.last else { return }
            last = next.0.blob.digest
        }
    }

    /// Reads one stored file completely.
    ///
    /// - Returns: The damage; `nil` if there is none.
    private func fault(of piece: Piece) async throws -> String? {
        pins?.pinReading([piece])
        defer { pins?.unpin([piece.blob]) }
        let finding = try await onPool { () -> String? in
            // The bytes may have been removed since the row was read.
            guard try hasReferences(piece.blob) else { return nil }
            do {
                let (path, form) = try stored.file(of: piece.blob)
                var (digest, reader) = (
                    MessageDigest(.sha256), try BlobReader(piece, range: 0..<piece.byteCount, at: path, form)
                )
                while true {
                    let bytes = try reader.read()
                    guard !bytes.isEmpty else { break }
                    digest.update(bytes)
                }
                return digest.finish() == piece.blob.digest ? nil : "has other bytes than were written"
            } catch let error as ObjectError where error.code == .corrupt {
                return try hasReferences(piece.blob) ? error.message : nil
            }
        }
        return if let finding { try await name(of: piece, finding) } else { nil }
    }

    private func hasReferences(_ blob: BlobID) throws -> Bool {
        try catalogue.read { connection in
            try connection.first(
                "SELECT 1 FROM blobs WHERE digest = ?1 AND refs > 0", { $0.bind(blob.digest, at: 1) }
            ) { _ in true } ?? false
        }
    }

    /// Describes damage of stored bytes with the name of an object that contains them.
    private func name(of piece: Piece, _ finding: String) async throws -> String {
        try await onPool {
            let file = try stored.file(of: piece.blob).path.pieces(at: "/").last ?? ""
            let object = try catalogue.read { connection in
                try connection.first(
                    """
                    SELECT accounts.name, containers.name, objects.name FROM objects
                    JOIN containers ON containers.id = objects.container JOIN accounts ON accounts.id = containers.account
                    WHERE instr(objects.pieces, ?1) > 0 LIMIT 1
                    """, { $0.bind(piece.blob.digest, at: 1) }
                ) { "\($0.string(0))/\($0.string(1))/\($0.string(2))" }
            }
            return "\(object ?? "a part of an upload"), file \(file): \(finding)"
        }
    }

    /// Returns the files of a folder that have no row in the catalogue. An upload adds its file before its row.
    /// Therefore files that were changed after `start` are not reported.
    private func foreignFiles(in folder: String, before start: Int) throws -> [String] {
        try stored.files.names(inFolder: folder).compactMap { name in
            let path = "\(stored.files.directory)/\(folder)/\(name)"
            let isHere = try stored.hasRow(ofFile: name) && name.begins(with: folder)
            guard !isHere, DatabaseFiles.changeTimeMilliseconds(path).map({ $0 < start }) ?? false else { return nil }
            // The row is looked up a second time, because an upload may have added it after the first lookup.
            guard try !stored.hasRow(ofFile: name) || !name.begins(with: folder) else { return nil }
            return "the file \(ObjectDirectory.folderName)/\(folder)/\(name) belongs to no object"
        }
    }

    /// Returns the entries of the folder that are neither the catalogue nor folders of stored files.
    private func foreignEntries() throws -> [String] {
        let folders = Set(stored.files.folders)
        return ModuleFolder.names(in: stored.files.directory).sorted().filter { name in
            // Exact: the names of the folders are ASCII.
            !folders.contains(name) && name != "uploads" && name != ModuleFolder.catalogueName
                && !name.ends(with: "-wal") && !name.ends(with: "-shm")
        }.map { "\(ObjectDirectory.folderName)/\($0) does not belong to the storage" }
    }

    private static func wrongCounts(on connection: SQLiteConnection) throws -> [String] {
        try connection.rows(
            """
            SELECT containers.name FROM containers WHERE
            (SELECT count(*) FROM objects WHERE container = containers.id) <> containers.objects
            OR (SELECT ifnull(sum(bytes), 0) FROM objects WHERE container = containers.id) <> containers.bytes
            """
        ) { "the container \($0.string(0)) has other objects than are counted" }
            + connection.rows(
                """
                SELECT name FROM accounts WHERE
                (SELECT ifnull(sum(bytes), 0) FROM containers WHERE account = accounts.id)
                    + (SELECT ifnull(sum(parts.bytes), 0) FROM parts JOIN uploads ON uploads.id = parts.upload
                        WHERE uploads.account = accounts.id) <> accounts.bytes
                OR (SELECT count(*) FROM containers WHERE account = accounts.id) <> accounts.containers
                """
            ) { "the account \($0.string(0)) has other bytes or containers than are counted" }
    }

    /// Compares the stored numbers of references with the references of all objects and parts.
    private static func wrongReferences(on connection: SQLiteConnection) throws -> [String] {
        var counts: [BlobID: Int] = [:]
        try forEachPiece(on: connection) { counts[$0.blob, default: 0] += 1 }
        var faults: [String] = []
        let rows = try connection.statement("SELECT digest, refs FROM blobs")
        defer { rows.reset() }
        while try rows.step() {
            let (blob, references) = (BlobID(digest: rows.bytes(0) ?? []), rows.int(1))
            let found = counts.removeValue(forKey: blob) ?? 0
            if found != references {
                faults.append(
                    "stored bytes \(blob.digest.hexadecimal) have \(found) references, and \(references) are counted")
            }
        }
        return faults + counts.keys.map { "stored bytes \($0.digest.hexadecimal) are missing in the catalogue" }
    }

    private static func forEachPiece(on connection: SQLiteConnection, _ body: (Piece) -> Void) throws {
        let objects = try connection.statement("SELECT pieces FROM objects")
        defer { objects.reset() }
        while try objects.step() {
            for piece in Piece.decode(objects.bytes(0) ?? []) { body(piece) }
        }
        let parts = try connection.statement("SELECT digest, bytes FROM parts WHERE bytes > 0")
        defer { parts.reset() }
        while try parts.step() { body(Piece(blob: BlobID(digest: parts.bytes(0) ?? []), byteCount: parts.int(1))) }
    }
}
