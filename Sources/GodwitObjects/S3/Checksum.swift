//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CChecksums
import CZlib
import Crypto
import GodwitBytes

/// A checksum that a client of S3 sends with the bytes of an object, so that errors of the transfer are detected.
struct Checksum {
    /// The algorithms, with the names in headers.
    enum Algorithm: String, CaseIterable, Sendable {
        case crc32, crc32c, crc64nvme, sha1, sha256

        /// The header with the checksum, in lower case.
        var header: String { "x-amz-checksum-\(rawValue)" }
    }

    let algorithm: Algorithm
    private var crc32: UInt = 0
    private var crc32c: UInt32 = 0
    private var crc64: UInt64 = 0
    private var sha1 = Insecure.SHA1()
    private var sha256 = SHA256()

    init(_ algorithm: Algorithm) { self.algorithm = algorithm }

    /// Adds bytes.
    mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            switch algorithm {
            case .crc32:
                crc32 = zlib_crc32(crc32, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count)
            case .crc32c: crc32c = cchecksums_crc32c(crc32c, buffer.baseAddress, buffer.count)
            case .crc64nvme: crc64 = cchecksums_crc64nvme(crc64, buffer.baseAddress, buffer.count)
            case .sha1: sha1.update(bufferPointer: buffer)
            case .sha256: sha256.update(bufferPointer: buffer)
            }
        }
    }

    /// The checksum in Base64, as in headers.
    var text: String {
        var digits: [UInt8] = []
        Base64.append(bytes, to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    private var bytes: [UInt8] {
        switch algorithm {
        case .crc32: withUnsafeBytes(of: UInt32(truncatingIfNeeded: crc32).bigEndian) { Array($0) }
        case .crc32c: withUnsafeBytes(of: crc32c.bigEndian) { Array($0) }
        case .crc64nvme: withUnsafeBytes(of: crc64.bigEndian) { Array($0) }
        case .sha1: Array(sha1.finalize())
        case .sha256: Array(sha256.finalize())
        }
    }
}

/// Adds bytes to zlib's CRC-32.
private func zlib_crc32(_ crc: UInt, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> UInt {
    UInt(clamping: crc32_z(CZlib.uLong(crc), bytes, count))
}
