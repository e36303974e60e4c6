//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitKeys
import GodwitObjectStore
import GodwitStore

/// The form of a stored file.
enum BlobForm: Equatable, Sendable {
    /// The file contains the plain bytes. Its name is their SHA-256.
    case plain
    /// The file contains chunks that are sealed (encrypted) with a key of the storage. Its name is the HMAC of the
    /// SHA-256 of the plain bytes. Therefore an attacker who has a file cannot find out from the names whether the
    /// storage contains the same file.
    case sealed(EncryptionKey)
}

/// The paths of the files of a storage.
struct BlobFiles: Sendable {
    /// The path of the module's folder.
    let directory: String

    /// The folder of files that are being received.
    var uploads: String { "\(directory)/uploads" }

    /// Returns the file name of stored bytes: 64 hexadecimal digits.
    static func name(of blob: BlobID, _ form: BlobForm) -> String {
        switch form {
        case .plain: blob.digest.hexadecimal
        case .sealed(let key):
            key.withBytes { MessageAuthentication.sha256(Array("name".utf8) + blob.digest, key: $0) }.hexadecimal
        }
    }

    /// Returns the path of a file.
    func path(named name: String) -> String { "\(directory)/\(name.prefix(2))/\(name)" }

    /// Returns the path of the file of stored bytes.
    func path(of blob: BlobID, _ form: BlobForm) -> String { path(named: BlobFiles.name(of: blob, form)) }

    /// Returns a new path for a file that is being received.
    func newUploadPath() -> String { "\(uploads)/\([UInt8].random(count: 16).hexadecimal)" }

    /// Returns the size of the file of an object.
    static func fileBytes(of byteCount: Int, _ form: BlobForm) -> Int {
        form == .plain ? byteCount : SealedChunks.fileBytes(of: byteCount)
    }

    /// Renames a complete and flushed file to its final path, and flushes the folder of this path. If a file with this
    /// name exists, it is replaced.
    func publish(_ temporary: String, as path: String) throws {
        try ModuleFolder.create(DatabaseFiles.folder(of: path))
        guard rename(temporary, path) == 0 else {
            throw ObjectError(storing: SystemError.last, "renaming \(temporary)")
        }
        try DatabaseFiles.flush(DatabaseFiles.folder(of: path))
    }

    /// The folders of stored files. Their names are two hexadecimal digits.
    var folders: [String] {
        ModuleFolder.names(in: directory).filter { $0.utf8.count == 2 && [UInt8](hexadecimal: $0.utf8) != nil }.sorted()
    }

    /// Returns the names of the files in a folder.
    func names(inFolder folder: String) -> [String] { ModuleFolder.names(in: "\(directory)/\(folder)").sorted() }
}
