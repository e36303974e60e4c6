//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is open for reading, closed when nobody holds it any more.
package final class OpenFile: Sendable {
    private let file: SystemFile
    /// What the file is, for errors.
    private let subject: String

    /// Opens a file.
    ///
    /// - Parameter subject: What it is, for example `the attachment's file`.
    init(reading path: String, as subject: String) throws(StoreError) {
        self.subject = "\(subject) \(path)"
        do {
            file = try SystemFile(path, O_RDONLY)
        } catch {
            throw OpenFile.failure("\(subject) \(path)", error)
        }
    }

    /// How long the file is.
    func byteCount() throws(StoreError) -> Int {
        do {
            return try file.byteCount()
        } catch {
            throw OpenFile.failure(subject, error)
        }
    }

    /// The next bytes; none at the end.
    func read(_ countMax: Int) throws(StoreError) -> [UInt8] {
        do {
            return try file.read(countMax)
        } catch {
            throw OpenFile.failure(subject, error)
        }
    }

    /// All of a small file.
    ///
    /// - Parameter bytesMax: What it may be long at most; a longer one is refused.
    package static func contents(
        of path: String, as subject: String, bytesMax: Int
    ) throws(StoreError) -> [UInt8] {
        let file = try OpenFile(reading: path, as: subject)
        var bytes: [UInt8] = []
        while bytes.count <= bytesMax {
            let more = try file.read(bytesMax + 1 - bytes.count)
            guard !more.isEmpty else { return bytes }
            bytes += more
        }
        throw StoreError(.storage, "\(subject) \(path) cannot be read: it is longer than \(bytesMax) bytes")
    }

    private static func failure(_ subject: String, _ error: SystemError) -> StoreError {
        StoreError(.storage, "\(subject) cannot be read: \(error)")
    }
}
