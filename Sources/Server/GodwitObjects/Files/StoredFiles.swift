//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitKeys
import GodwitObjectStore
import GodwitSQLite
import GodwitStore

/// Finds the files of stored bytes in the catalogue of a storage. The storage may be in use, or it may be a backup.
struct StoredFiles: Sendable {
    let files: BlobFiles
    let catalogue: any ReadableCatalogue
    /// The keys of all sealed files, by their numbers.
    let keys: [Int: EncryptionKey]

    /// Reads the keys of a catalogue.
    static func keys(in catalogue: some ReadableCatalogue) throws -> [(number: Int, key: EncryptionKey)] {
        try catalogue.read { connection in
            try connection.rows("SELECT number, key FROM keys ORDER BY number") { row in
                (number: row.int(0), key: try EncryptionKey(bytes: row.bytes(1) ?? []))
            }
        }
    }

    /// Returns the path and the form of the file of stored bytes.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/corrupt`` if the catalogue does not contain the bytes.
    func file(of blob: BlobID) throws -> (path: String, form: BlobForm) {
        let row = try catalogue.read { connection in
            try connection.first(
                "SELECT file, key FROM blobs WHERE digest = ?1", { $0.bind(blob.digest, at: 1) }
            ) { ($0.string(0), $0.optionalInt(1)) }
        }
        guard let (name, number) = row else {
            throw ObjectError(.corrupt, "The object is damaged: the catalogue does not have its bytes.")
        }
        return (files.path(named: name), try form(ofKey: number))
    }

    /// Returns the form of the files that are sealed with the key with this number. If the number is `nil`, the files
    /// are plain.
    func form(ofKey number: Int?) throws -> BlobForm {
        guard let number else { return .plain }
        guard let key = keys[number] else {
            throw ObjectError(.corrupt, "The catalogue does not have the key \(number) of a stored file.")
        }
        return .sealed(key)
    }

    /// Whether the catalogue has a stored file with a name.
    func hasRow(ofFile name: String) throws -> Bool {
        try catalogue.read { connection in
            try connection.first("SELECT 1 FROM blobs WHERE file = ?1", { $0.bind(name, at: 1) }) { _ in true } ?? false
        }
    }
}
