//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A file that is open for reading. It is closed when it is deallocated.
package final class OpenFile: Sendable {
    private let file: SystemFile
    /// A description of the file, for error messages.
    private let subject: String

    /// Opens a file.
    ///
    /// - Parameter subject: A description of the file for error messages, for example `the attachment's file`.
    init(reading path: String, as subject: String) throws(StoreError) {
        self.subject = "\(subject) \(path)"
        do {
            file = try SystemFile(path, O_RDONLY)
        } catch {
            throw OpenFile.failure("\(subject) \(path)", error)
        }
    }

    /// The size of the file, in bytes.
    func byteCount() throws(StoreError) -> Int {
        do {
            return try file.byteCount()
        } catch {
            throw OpenFile.failure(subject, error)
        }
    }

    /// The next bytes, at most `countMax`; empty at the end.
    func read(_ countMax: Int) throws(StoreError) -> [UInt8] {
        do {
            return try file.read(countMax)
        } catch {
            throw OpenFile.failure(subject, error)
        }
    }

    /// The content of a small file.
    ///
    /// - Parameter bytesMax: The largest accepted size, in bytes.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/storage`` if the file is larger or cannot be read.
    package static func contents(
        of path: String, as subject: String, bytesMax: Int
    ) throws(StoreError) -> [UInt8] {
        let file = try OpenFile(reading: path, as: subject)
        var bytes: [UInt8] = []
        while bytes.count <= bytesMax {
            let piece = try file.read(bytesMax + 1 - bytes.count)
            guard !piece.isEmpty else { return bytes }
            bytes += piece
        }
        throw StoreError(.storage, "\(subject) \(path) cannot be read: it is longer than \(bytesMax) bytes")
    }

    private static func failure(_ subject: String, _ error: SystemError) -> StoreError {
        StoreError(.storage, "\(subject) cannot be read: \(error)")
    }
}
