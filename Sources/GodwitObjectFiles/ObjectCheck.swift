//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitObjectStore
import GodwitSQLite
package import GodwitStore

extension ObjectDirectory {
    /// Checks all files and the catalogue: missing, damaged and foreign files, wrong numbers of references, and wrong counts.
    ///
    /// - Returns: The first inconsistencies, and the number of stored objects.
    package func check() async throws -> (faults: [Fault], objectCount: Int) {
        var faults: [String] = []
        try await checkFiles(&faults)
        for folder in try await run({ $0.files.folders }) {
            try Task.checkCancellation()
            faults += try await run { directory in try directory.foreignFiles(in: folder) }
        }
        faults += try await run { directory in
            try directory.foreignEntries() + directory.wrongCounts() + directory.wrongReferences()
        }
        let count = try await run { directory in
            try directory.catalogue.read { try $0.integer("SELECT count(*) FROM objects") }
        }
        return (faults.prefix(ObjectLimits.faultsMax).map { Fault(description: $0) }, count)
    }

    /// Reads all stored files completely.
    private func checkFiles(_ faults: inout [String]) async throws {
        var last: [UInt8] = []
        while true {
            let start = last
            let blobs = try await run { directory in
                try directory.catalogue.read { connection in
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
        let reading = read([piece], range: 0..<piece.byteCount)
        do {
            var digest = MessageDigest(.sha256)
            for try await bytes in reading { digest.update(bytes) }
            guard digest.finish() != piece.blob.digest else { return nil }
            return try await name(of: piece, "has other bytes than were written")
        } catch let error as ObjectError where error.code == .corrupt {
            return try await name(of: piece, error.message)
        }
    }

    /// Describes damage of stored bytes with the name of an object that has them.
    private func name(of piece: Piece, _ finding: String) async throws -> String {
        try await run { directory in
            let file = try directory.file(of: piece.blob).path.split(separator: "/").last ?? ""
            let object = try directory.catalogue.read { connection in
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

    private func foreignFiles(in folder: String) throws -> [String] {
        try files.names(inFolder: folder).compactMap { name in
            let row = try catalogue.read { connection in
                try connection.first("SELECT 1 FROM blobs WHERE file = ?1", { $0.bind(name, at: 1) }) { _ in true }
            }
            let isHere = row != nil && name.hasPrefix(folder)
            return isHere ? nil : "the file \(ObjectDirectory.folderName)/\(folder)/\(name) belongs to no object"
        }
    }

    /// The entries of the folder that are neither the catalogue nor folders of stored files.
    private func foreignEntries() throws -> [String] {
        let folders = Set(files.folders)
        return ModuleFolder.names(in: folder.path).sorted().filter { name in
            !folders.contains(name) && name != "uploads" && !folder.cataloguePath.hasSuffix("/\(name)")
                && !name.hasSuffix("-wal") && !name.hasSuffix("-shm")
        }.map { "\(ObjectDirectory.folderName)/\($0) does not belong to the storage" }
    }

    private func wrongCounts() throws -> [String] {
        try catalogue.read { connection in
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
    }

    /// Compares the stored numbers of references with the references of all objects and parts.
    private func wrongReferences() throws -> [String] {
        var counts: [BlobID: Int] = [:]
        try forEachPiece { counts[$0.blob, default: 0] += 1 }
        let stored = try catalogue.read { connection in
            try connection.rows("SELECT digest, refs FROM blobs") { (BlobID(digest: $0.bytes(0) ?? []), $0.int(1)) }
        }
        var faults = stored.filter { $0.1 != counts[$0.0, default: 0] }.map {
            "stored bytes \($0.0.digest.hexadecimal) have \(counts[$0.0, default: 0]) references, and \($0.1) are counted"
        }
        let known = Set(stored.map(\.0))
        faults += counts.keys.filter { !known.contains($0) }.map {
            "stored bytes \($0.digest.hexadecimal) are missing in the catalogue"
        }
        return faults
    }

    private func forEachPiece(_ body: (Piece) -> Void) throws {
        try catalogue.read { connection in
            for bytes in try connection.rows("SELECT pieces FROM objects", { _ in }, { $0.bytes(0) ?? [] }) {
                for piece in Piece.decode(bytes) { body(piece) }
            }
            let parts = try connection.rows("SELECT digest, bytes FROM parts") {
                Piece(blob: BlobID(digest: $0.bytes(0) ?? []), byteCount: $0.int(1))
            }
            for part in parts where part.byteCount > 0 { body(part) }
        }
    }
}
