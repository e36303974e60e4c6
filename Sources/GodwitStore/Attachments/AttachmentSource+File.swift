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

extension AttachmentSource {
    /// The bytes of a file, read on the blocking pool in pieces of one chunk.
    init(file path: String) throws(StoreError) {
        let file = try OpenFile(reading: path)
        self.init { append in
            while true {
                let piece = try await BlockingPool.shared.run { try file.read(StoreLimits.attachmentChunkBytes) }
                guard !piece.isEmpty else { return }
                try await append(piece)
            }
        }
    }
}

/// A file that is open for reading, closed when nobody holds it any more.
private final class OpenFile: Sendable {
    private let descriptor: Int32
    private let path: String

    init(reading path: String) throws(StoreError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        guard descriptor >= 0 else { throw OpenFile.failure(path) }
    }

    deinit { close(descriptor) }

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
        guard !failed else { throw OpenFile.failure(path) }
        return bytes
    }

    private static func failure(_ path: String) -> StoreError {
        StoreError(.storage, "the attachment's file \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
}
