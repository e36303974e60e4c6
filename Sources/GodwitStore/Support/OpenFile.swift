//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is open for reading, closed when nobody holds it any more.
package final class OpenFile: Sendable {
    private let descriptor: Int32
    /// What the file is, for errors.
    private let subject: String

    /// Opens a file.
    ///
    /// - Parameter subject: What it is, for example `the attachment's file`.
    init(reading path: String, as subject: String) throws(StoreError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.subject = "\(subject) \(path)"
        guard descriptor >= 0 else { throw OpenFile.failure(self.subject) }
    }

    deinit { close(descriptor) }

    /// How long the file is.
    func byteCount() throws(StoreError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw OpenFile.failure(subject) }
        return Int(status.st_size)
    }

    /// The next bytes; none at the end.
    func read(_ countMax: Int) throws(StoreError) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: countMax) { buffer, count in
            #if canImport(Darwin)
                let result = Darwin.read(descriptor, buffer.baseAddress, countMax)
            #elseif canImport(Musl)
                let result = Musl.read(descriptor, buffer.baseAddress, countMax)
            #else
                let result = Glibc.read(descriptor, buffer.baseAddress, countMax)
            #endif
            failed = result < 0
            count = max(result, 0)
        }
        guard !failed else { throw OpenFile.failure(subject) }
        return bytes
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

    private static func failure(_ subject: String) -> StoreError {
        StoreError(.storage, "\(subject) cannot be read: \(String(cString: strerror(errno)))")
    }
}
