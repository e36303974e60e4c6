//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitKeys

/// A file in a directory that records an unfinished change of the directory's key.
///
/// The record contains salted hashes of the two keys of the change, the old key and the new key. The keys are random,
/// so they cannot be guessed from the hashes. The hashes are used only to check whether a given key is one of the two
/// keys.
struct KeyChangeRecord {
    let keys: [EncryptionKey?]

    private static let fileName = "changing-key"
    private static let saltBytes = 16

    /// Throws if the directory has an unfinished change of its key.
    static func checkIsAbsent(in directory: String) throws(StoreError) {
        guard DatabaseFiles.exists("\(directory)/\(fileName)") else { return }
        throw StoreError(
            .keyChangePending,
            "\(directory): a change of its key was interrupted. Run it again with the same keys (godwit encrypt, "
                + "decrypt or rekey), or change the key back.")
    }

    /// Throws if the directory has an unfinished change whose two keys are not the two keys of this record.
    func checkIsFree(in directory: String) throws(StoreError) {
        let path = "\(directory)/\(KeyChangeRecord.fileName)"
        guard DatabaseFiles.exists(path) else { return }
        let text = try OpenFile(reading: path, as: "the record of the key change").read(1_024)
        let lines = text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        guard let salt = lines.first, Set(lines.dropFirst()) == Set(hashes(salt)) else {
            throw StoreError(
                .keyChangePending,
                "\(directory): a change between other keys was interrupted. Finish it or change the key back first.")
        }
    }

    func write(in directory: String) throws(StoreError) {
        let path = "\(directory)/\(KeyChangeRecord.fileName)"
        guard !DatabaseFiles.exists(path) else { return }
        let salt = [UInt8].random(count: KeyChangeRecord.saltBytes).hexadecimal
        let text = ([salt] + hashes(salt)).joined(separator: "\n") + "\n"
        let partial = path + ".partial"
        do {
            // The file is written atomically, because with a partial record, the directory could never be opened again.
            try DatabaseFiles.write(Array(text.utf8), to: partial, flushes: true)
            try Backup.publish(partial, as: path)
        } catch {
            unlink(partial)
            throw StoreError(wrapping: error, subject: path)
        }
    }

    func remove(from directory: String) throws {
        let path = "\(directory)/\(KeyChangeRecord.fileName)"
        guard unlink(path) == 0 else {
            throw StoreError(.storage, "\(path) cannot be removed: \(String(cString: strerror(errno))). Remove it.")
        }
        try DatabaseFiles.flush(directory)
    }

    private func hashes(_ salt: String) -> [String] {
        keys.map { key in
            var hash = MessageDigest(.sha256)
            hash.update(salt.utf8)
            key?.withBytes { hash.update($0) }
            return hash.finish().hexadecimal
        }
    }
}
