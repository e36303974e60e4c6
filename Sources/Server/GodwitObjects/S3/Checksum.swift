//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CChecksums
import CZlib
import Crypto
import GodwitBase
import GodwitServer
import HTTPTypes

/// A checksum that a client of S3 sends with the bytes of an object, so that errors of the transfer are detected.
struct Checksum {
    /// The algorithms, with the names in headers.
    enum Algorithm: String, CaseIterable, Sendable {
        case crc32, crc32c, crc64nvme, md5, sha1, sha256, sha512, xxhash64

        /// S3's algorithms that this server does not have.
        private static let absent = ["xxhash3", "xxhash128"]

        /// - Parameter name: The name of an algorithm, in upper or lower case.
        /// - Throws: ``HTTPFailure`` with the code `NotImplemented` for an algorithm that this server does not have, and
        ///   `InvalidRequest` for one that S3 does not have either.
        init(named name: String) throws(HTTPFailure) {
            let name = name.lowercasedASCII
            if let known = Algorithm(rawValue: name) {
                self = known
                return
            }
            guard !Algorithm.absent.contains(name) else {
                throw S3Failure.notImplemented("The checksum algorithm \(name.uppercased())")
            }
            throw HTTPFailure(
                .badRequest, "InvalidRequest",
                "The checksum algorithm \(name) is unsupported. Please try again with any of the valid types: "
                    + "\(Algorithm.allCases.map(\.name).joined(separator: ", ")).")
        }

        /// The name in values of headers, for example `CRC32`.
        var name: String { rawValue.uppercased() }

        /// The header with the checksum, in lower case.
        var header: String { "\(Checksum.headerPrefix)\(rawValue)" }

        /// The element of XML with the checksum.
        var element: String { "Checksum\(name)" }

        /// The reflected polynomial and its degree, if the algorithm is a CRC. The CRCs of two texts can be combined to
        /// that of the whole text.
        var polynomial: (bits: UInt64, width: Int32)? {
            switch self {
            case .crc32: (0xedb8_8320, 32)
            case .crc32c: (0x82f6_3b78, 32)
            case .crc64nvme: (0x9a6c_9329_ac4b_c9b5, 64)
            case .md5, .sha1, .sha256, .sha512, .xxhash64: nil
            }
        }
    }

    static let headerPrefix = "x-amz-checksum-"
    /// The headers with the prefix that contain no checksum.
    private static let otherHeaders = ["algorithm", "mode", "type"].map { headerPrefix + $0 }

    let algorithm: Algorithm
    private var crc32: UInt = 0
    private var crc32c: UInt32 = 0
    private var crc64: UInt64 = 0
    private var xxhash64 = cchecksums_xxh64()
    private var md5 = Insecure.MD5()
    private var sha1 = Insecure.SHA1()
    private var sha256 = SHA256()
    private var sha512 = SHA512()

    init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
        cchecksums_xxh64_begin(&xxhash64)
    }

    /// Adds bytes.
    mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            switch algorithm {
            case .crc32:
                crc32 = zlib_crc32(crc32, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count)
            case .crc32c: crc32c = cchecksums_crc32c(crc32c, buffer.baseAddress, buffer.count)
            case .crc64nvme: crc64 = cchecksums_crc64nvme(crc64, buffer.baseAddress, buffer.count)
            case .md5: md5.update(bufferPointer: buffer)
            case .sha1: sha1.update(bufferPointer: buffer)
            case .sha256: sha256.update(bufferPointer: buffer)
            case .sha512: sha512.update(bufferPointer: buffer)
            case .xxhash64: cchecksums_xxh64_add(&xxhash64, buffer.baseAddress, buffer.count)
            }
        }
    }

    /// The checksum in Base64, as in headers.
    var text: String { Checksum.text(of: bytes) }

    /// Returns bytes in Base64.
    static func text(of bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        Base64.append(bytes, to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes of the checksum; numbers in the order of networks.
    var bytes: [UInt8] {
        switch algorithm {
        case .crc32: withUnsafeBytes(of: UInt32(truncatingIfNeeded: crc32).bigEndian) { Array($0) }
        case .crc32c: withUnsafeBytes(of: crc32c.bigEndian) { Array($0) }
        case .crc64nvme: withUnsafeBytes(of: crc64.bigEndian) { Array($0) }
        case .md5: Array(md5.finalize())
        case .sha1: Array(sha1.finalize())
        case .sha256: Array(sha256.finalize())
        case .sha512: Array(sha512.finalize())
        case .xxhash64:
            withUnsafePointer(to: xxhash64) { state in
                withUnsafeBytes(of: cchecksums_xxh64_value(state).bigEndian) { Array($0) }
            }
        }
    }

    /// Returns the algorithms of the checksums in the headers of a request.
    ///
    /// - Throws: The error of ``Algorithm/init(named:)``.
    static func algorithms(inHeadersOf request: ServerRequest) throws(HTTPFailure) -> [Algorithm] {
        var found: [Algorithm] = []
        for field in request.head.headerFields {
            if let algorithm = try Checksum.algorithm(ofHeader: field.name.canonicalName) { found.append(algorithm) }
        }
        return found
    }

    /// Returns the algorithm of a header; `nil` if a header with this name contains no checksum.
    ///
    /// - Throws: The error of ``Algorithm/init(named:)``.
    static func algorithm(ofHeader name: String) throws(HTTPFailure) -> Algorithm? {
        // Exact: the names of these headers are ASCII.
        guard name.begins(with: headerPrefix), !otherHeaders.contains(name) else { return nil }
        return try Algorithm(named: String(Substring(name.utf8.dropFirst(headerPrefix.utf8.count))))
    }
}

/// Adds bytes to zlib's CRC-32.
private func zlib_crc32(_ crc: UInt, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> UInt {
    UInt(clamping: crc32_z(CZlib.uLong(crc), bytes, count))
}
