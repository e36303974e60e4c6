//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The checksums of stored objects.
struct StoredChecksum {
    let directory: ObjectDirectory

    /// Returns the stored checksum of an object's bytes; `nil` if only the checksum of its parts is stored, or none.
    static func known(_ algorithm: Checksum.Algorithm, of record: ObjectRecord) -> String? {
        record.properties.headers[algorithm.header].flatMap { isComposite($0) ? nil : $0 }
    }

    /// Whether a checksum is that of parts. Then `-` and the number of parts follow the Base64, which has no hyphens.
    static func isComposite(_ value: String) -> Bool { value.utf8.contains(UInt8(ascii: "-")) }

    /// Returns the checksum of an object's bytes. If it is not stored, the bytes are read.
    ///
    /// - Throws: ``HTTPFailure`` with the code `InvalidRequest` if the bytes must be read and are more than
    ///   ``ObjectLimits/uploadBytesMax``; ``ObjectError`` with code ``ObjectError/Code/overloaded`` if the object was
    ///   changed.
    func value(
        _ algorithm: Checksum.Algorithm, of record: ObjectRecord, in bucket: ObjectContainer
    ) async throws -> String {
        if let known = StoredChecksum.known(algorithm, of: record) { return known }
        guard record.byteCount <= ObjectLimits.uploadBytesMax else {
            throw HTTPFailure(
                .badRequest, "InvalidRequest",
                "A checksum is computed for a source of at most \(ObjectLimits.uploadBytesMax) bytes.")
        }
        guard let object = try await directory.run({ try $0.pin(record, of: [record], in: bucket) }) else {
            throw ObjectError(.overloaded, "The source was changed. Try again.")
        }
        var checksum = Checksum(algorithm)
        for try await bytes in object.read(0..<record.byteCount) { checksum.update(bytes) }
        return checksum.text
    }
}

extension XMLWriter {
    /// Adds the checksums in stored headers.
    ///
    /// - Parameter withType: Whether an element says what the checksums cover.
    mutating func checksums(_ headers: [String: String], withType: Bool = false) {
        var type: UploadChecksum.Coverage?
        for algorithm in Checksum.Algorithm.allCases {
            guard let value = headers[algorithm.header] else { continue }
            element(algorithm.element, value)
            type = StoredChecksum.isComposite(value) ? .composite : .fullObject
        }
        if withType, let type { element("ChecksumType", type.rawValue) }
    }
}
