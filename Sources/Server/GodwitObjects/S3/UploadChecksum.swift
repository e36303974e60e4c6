//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CChecksums
import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The checksum of an object that is uploaded in parts.
///
/// Each part has a checksum of its own. The checksum of the object is either that of the checksums of its parts
/// (`COMPOSITE`), or that of its bytes (`FULL_OBJECT`), which can be computed from the checksums of the parts only if the
/// algorithm is a CRC. If a client chooses no algorithm, the upload has the CRC-64/NVME of its bytes, as in S3.
struct UploadChecksum: Sendable {
    /// The part of the object that its checksum covers, with the names in headers.
    enum Coverage: String, Sendable {
        case composite = "COMPOSITE"
        case fullObject = "FULL_OBJECT"
    }

    let algorithm: Checksum.Algorithm
    let coverage: Coverage
    /// Whether the client chose the algorithm. Then its parts may have no other one.
    let isChosen: Bool

    static let algorithmHeader = "x-amz-checksum-algorithm"
    static let coverageHeader = "x-amz-checksum-type"

    /// Reads the headers of a request that begins an upload.
    ///
    /// - Throws: ``HTTPFailure`` if the algorithm or the coverage is not known, or if the algorithm does not permit the
    ///   coverage.
    init(_ request: ServerRequest) throws(HTTPFailure) {
        let name = request.header(Self.algorithmHeader)
        isChosen = name != nil
        algorithm = try name.map(Checksum.Algorithm.init(named:)) ?? .crc64nvme
        let wanted = try request.header(Self.coverageHeader).map(Self.coverage(named:))
        coverage = wanted ?? (algorithm == .crc64nvme ? .fullObject : .composite)
        let isPossible = coverage == .fullObject ? algorithm.polynomial != nil : algorithm != .crc64nvme
        guard isPossible else {
            throw HTTPFailure(
                .badRequest, "InvalidRequest",
                "The \(coverage.rawValue) checksum type cannot be used with the \(algorithm.rawValue) checksum algorithm."
            )
        }
    }

    /// Reads the properties of an upload.
    init(of upload: PartialUpload) {
        let headers = upload.properties.headers
        let stored = headers[Self.algorithmHeader].flatMap(Checksum.Algorithm.init(rawValue:))
        isChosen = stored != nil
        algorithm = stored ?? .crc64nvme
        coverage = headers[Self.coverageHeader].flatMap(Coverage.init(rawValue:)) ?? .fullObject
    }

    private static func coverage(named name: String) throws(HTTPFailure) -> Coverage {
        guard let coverage = Coverage(rawValue: name.uppercased()) else {
            throw S3Failure.invalid("\(coverageHeader) must be COMPOSITE or FULL_OBJECT.")
        }
        return coverage
    }

    /// The headers to store with the upload.
    var stored: [String: String] {
        isChosen ? [Self.algorithmHeader: algorithm.rawValue, Self.coverageHeader: coverage.rawValue] : [:]
    }

    /// Throws if a part has a checksum of another algorithm than the client chose for the upload.
    func check(_ sent: Checksum.Algorithm?) throws(HTTPFailure) {
        guard let sent, isChosen, sent != algorithm else { return }
        throw HTTPFailure(
            .badRequest, "InvalidRequest",
            "Checksum Type mismatch occurred, expected checksum Type: \(algorithm.rawValue), actual checksum Type: "
                + "\(sent.rawValue)")
    }

    // MARK: The object

    /// The checksums and the size that a client sends when it completes an upload.
    struct Expectation: Sendable {
        /// The checksums of the object in the headers of the request.
        var values: [Checksum.Algorithm: String] = [:]
        /// The type of the checksum in the headers of the request; `nil` if the request does not have this header.
        var coverage: Coverage?
        /// The length of the object in bytes; `nil` if the request does not contain it.
        var byteCount: Int?
        /// The checksums of the parts by their numbers, as far as the request contains them.
        var parts: [Int: [Checksum.Algorithm: String]] = [:]

        init(_ request: ServerRequest, _ document: XMLElement) throws(HTTPFailure) {
            for algorithm in try Checksum.algorithms(inHeadersOf: request) {
                values[algorithm] = request.header(algorithm.header)
            }
            coverage = try request.header(UploadChecksum.coverageHeader).map(UploadChecksum.coverage(named:))
            if let size = request.header("x-amz-mp-object-size") {
                guard let count = Int(size), count >= 0 else {
                    throw S3Failure.invalid("x-amz-mp-object-size must be a number of bytes.")
                }
                byteCount = count
            }
            for part in document.all("Part") {
                guard let number = part["PartNumber"].flatMap({ Int($0.text) }) else { throw S3Failure.malformedXML }
                for child in part.children where child.name.begins(with: "Checksum") {
                    let algorithm = try Checksum.Algorithm(named: String(child.name.dropFirst("Checksum".count)))
                    parts[number, default: [:]][algorithm] = child.text
                }
            }
        }
    }

    /// Compares what the client expects with the stored parts.
    ///
    /// - Returns: The checksum of the object; `nil` if the checksum of a part is not known. This is the case for a part
    ///   that an older version of the server stored.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/invalidPart`` if a part has another checksum,
    ///   ``ObjectError/Code/badDigest`` if the object has another one, and ``ObjectError/Code/invalidRequest`` if the
    ///   length differs, or a checksum cannot be checked.
    func value(of parts: [UploadedPart], _ expectation: Expectation) throws(ObjectError) -> String? {
        for part in parts {
            for (algorithm, text) in expectation.parts[part.number] ?? [:] {
                guard part.headers[algorithm.header]?.isIdenticalText(to: text) ?? false else {
                    throw ObjectError(
                        .invalidPart, "The part \(part.number) has another \(algorithm.name) checksum, or none.")
                }
            }
        }
        let byteCount = parts.reduce(0) { $0.addingSaturated($1.byteCount) }
        guard expectation.byteCount ?? byteCount == byteCount else {
            throw ObjectError(
                .invalidRequest, "The provided x-amz-mp-object-size does not match the \(byteCount) bytes of the parts."
            )
        }
        guard expectation.coverage ?? coverage == coverage else {
            throw ObjectError(.invalidRequest, "The upload was created with the checksum type \(coverage.rawValue).")
        }
        let value = value(of: parts)
        for (other, text) in expectation.values {
            guard other == algorithm, let value else {
                throw ObjectError(.invalidRequest, "The upload was not created with the checksum \(other.name).")
            }
            // Clients may omit the number of parts of a composite checksum.
            let isEqual = text.isIdenticalText(to: value) || "\(text)-\(parts.count)".isIdenticalText(to: value)
            guard isEqual else {
                throw ObjectError(
                    .badDigest, "The \(other.rawValue) you specified did not match the calculated checksum.")
            }
        }
        return value
    }

    private func value(of parts: [UploadedPart]) -> String? {
        let checksums = parts.compactMap { $0.headers[algorithm.header].flatMap { Base64.decode($0.utf8) } }
        guard checksums.count == parts.count else { return nil }
        switch coverage {
        case .composite:
            var checksum = Checksum(algorithm)
            for bytes in checksums { checksum.update(bytes) }
            return "\(checksum.text)-\(parts.count)"
        case .fullObject:
            guard let polynomial = algorithm.polynomial else { return nil }
            let value = zip(checksums, parts).reduce(UInt64(0)) { value, next in
                cchecksums_combine_crc(
                    value, Self.number(next.0), UInt64(clamping: next.1.byteCount), polynomial.bits, polynomial.width)
            }
            let bytes = withUnsafeBytes(of: value.bigEndian) { Array($0) }
            return Checksum.text(of: bytes.suffix(Int(polynomial.width) / 8))
        }
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
