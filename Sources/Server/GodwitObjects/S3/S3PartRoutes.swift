//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// Uploads in parts.
struct S3PartRoutes {
    let directory: ObjectDirectory

    private static let pageMax = 1_000

    func begin(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws {
        let checksum = try UploadChecksum(request.head)
        var properties = try S3ObjectHeaders.properties(request.head)
        properties.headers.merge(checksum.stored) { $1 }
        let stored = properties
        let upload = try await directory.run { try $0.beginParts(of: key, in: bucket, stored) }
        var headers: HTTPFields = [:]
        if checksum.isChosen {
            headers.set(UploadChecksum.algorithmHeader, checksum.algorithm.name)
            headers.set(UploadChecksum.coverageHeader, checksum.coverage.rawValue)
        }
        var writer = XMLWriter()
        writer.open("InitiateMultipartUploadResult", XMLWriter.space)
        writer.element("Bucket", bucket.name)
        writer.element("Key", key)
        writer.element("UploadId", upload.id)
        writer.close()
        try await request.send(writer, headers: headers)
    }

    private func upload(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws -> PartialUpload {
        let id = request.head.query("uploadId") ?? ""
        return try await directory.run { try $0.upload(id, of: key, in: bucket) }
    }

    // MARK: Parts

    func put(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws {
        guard let number = request.head.query("partNumber").flatMap({ Int($0) }), 1...ObjectLimits.partsMax ~= number
        else {
            throw S3Failure.invalid("Part number must be an integer between 1 and \(ObjectLimits.partsMax), inclusive")
        }
        let upload = try await upload(request, key, bucket)
        if request.head.header("x-amz-copy-source") != nil { return try await copy(request, number, upload) }
        let length = try S3Receiving.length(of: request)
        guard length ?? 0 > 0 || number == 1 else { throw S3Failure.invalid("Only the first part may be empty.") }
        let early = NewObject(name: key, properties: upload.properties)
        try await directory.run { try $0.check(early, in: bucket, length: length) }
        let received = try await S3Receiving(directory: directory).receive(
            request, wanted: UploadChecksum(of: upload))
        let (bytes, checksums) = (received.upload, received.checksums)
        let part = try await directory.run { try $0.storePart(number, of: upload, bytes, headers: checksums) }
        var headers: HTTPFields = [.eTag: "\"\(part.entityTag)\""]
        for (name, value) in checksums { headers.set(name, value) }
        try await request.sendEmpty(.ok, headers: headers)
    }

    private func copy(_ request: S3Request, _ number: Int, _ upload: PartialUpload) async throws {
        let (source, bucket) = try await S3ObjectRoutes(directory: directory).copySource(of: request)
        let range = try range(request, of: source)
        let part: UploadedPart
        if range == 0..<source.byteCount, let copied = try await copyWhole(source, of: bucket, number, upload) {
            part = copied
        } else {
            part = try await copyBytes(range, of: source, in: bucket, number, upload)
        }
        var writer = XMLWriter()
        writer.open("CopyPartResult", XMLWriter.space)
        writer.element("LastModified", ObjectTime.iso(milliseconds: part.modified))
        writer.element("ETag", "\"\(part.entityTag)\"")
        writer.checksums(part.headers)
        writer.close()
        try await request.send(writer)
    }

    /// Stores an object as a part without copying its bytes. They are only read if the client chose a checksum for the
    /// upload and the object does not have it.
    ///
    /// - Returns: The part; `nil` if the bytes must be copied.
    private func copyWhole(
        _ source: ObjectRecord, of bucket: ObjectContainer, _ number: Int, _ upload: PartialUpload
    ) async throws -> UploadedPart? {
        guard source.pieceCount == 1 else { return nil }
        let wanted = UploadChecksum(of: upload)
        var headers: [String: String] = [:]
        if wanted.isChosen {
            headers[wanted.algorithm.header] = try await StoredChecksum(directory: directory).value(
                wanted.algorithm, of: source, in: bucket)
        } else {
            headers[wanted.algorithm.header] = StoredChecksum.known(wanted.algorithm, of: source)
        }
        let checksums = headers
        return try await directory.run { try $0.copyPart(number, of: upload, from: source, headers: checksums) }
    }

    private func copyBytes(
        _ range: Range<Int>, of source: ObjectRecord, in bucket: ObjectContainer, _ number: Int,
        _ upload: PartialUpload
    ) async throws -> UploadedPart {
        let incoming = try await directory.beginUpload(of: upload.account)
        guard let object = try await directory.run({ try $0.pin(source, of: [source], in: bucket) }) else {
            throw ObjectError(.overloaded, "The source was changed. Try again.")
        }
        var checksum = Checksum(UploadChecksum(of: upload).algorithm)
        for try await bytes in object.read(range) {
            checksum.update(bytes)
            try await incoming.append(bytes)
        }
        let headers = [checksum.algorithm.header: checksum.text]
        return try await directory.run { directory in
            try directory.storePart(number, of: upload, try incoming.finish(), headers: headers)
        }
    }

    private func range(_ request: S3Request, of source: ObjectRecord) throws(HTTPFailure) -> Range<Int> {
        guard let text = request.head.header("x-amz-copy-source-range") else { return 0..<source.byteCount }
        let bounds = text.utf8.dropFirst(6).split(separator: UInt8(ascii: "-")).map { Int(Substring($0)) }
        guard text.begins(with: "bytes="), bounds.count == 2, let first = bounds[0], let last = bounds[1],
            first <= last, last < source.byteCount
        else {
            throw S3Failure.invalid(
                "The x-amz-copy-source-range value must be of the form bytes=first-last, within the source.")
        }
        return first..<last + 1
    }

    func list(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws {
        let upload = try await upload(request, key, bucket)
        let countMax = try request.number("max-parts", max: Self.pageMax)
        let marker =
            try request.head.query("part-number-marker").map { text in
                guard let number = Int(text) else { throw S3Failure.invalid("part-number-marker must be a number.") }
                return number
            } ?? 0
        let found = try await directory.run { try $0.parts(of: upload, after: marker, countMax: countMax + 1) }
        var writer = XMLWriter()
        writer.open("ListPartsResult", XMLWriter.space)
        writer.element("Bucket", bucket.name)
        writer.element("Key", key)
        writer.element("UploadId", upload.id)
        writer.owner(request.account, as: "Initiator")
        writer.owner(request.account)
        writer.element("StorageClass", "STANDARD")
        writer.element("PartNumberMarker", "\(marker)")
        let parts = found.prefix(countMax)
        if found.count > countMax, let last = parts.last { writer.element("NextPartNumberMarker", "\(last.number)") }
        writer.element("MaxParts", "\(countMax)")
        writer.element("IsTruncated", found.count > countMax ? "true" : "false")
        let checksum = UploadChecksum(of: upload)
        if checksum.isChosen {
            writer.element("ChecksumAlgorithm", checksum.algorithm.name)
            writer.element("ChecksumType", checksum.coverage.rawValue)
        }
        for part in parts {
            writer.open("Part")
            writer.element("PartNumber", "\(part.number)")
            writer.element("LastModified", ObjectTime.iso(milliseconds: part.modified))
            writer.element("ETag", "\"\(part.entityTag)\"")
            writer.element("Size", "\(part.byteCount)")
            writer.checksums(part.headers)
            writer.close()
        }
        writer.close()
        try await request.send(writer)
    }

    // MARK: The end of an upload

    func complete(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws {
        let upload = try await upload(request, key, bucket)
        let document = try await request.readXML(hasChecksum: false)
        let parts = try document.all("Part").map { part in
            guard let number = part["PartNumber"].flatMap({ Int($0.text) }), let tag = part["ETag"]?.text else {
                throw S3Failure.malformedXML
            }
            return (number: number, tag: tag.filter { $0 != "\"" })
        }
        guard document.name == "CompleteMultipartUpload", 1...ObjectLimits.partsMax ~= parts.count else {
            throw S3Failure.malformedXML
        }
        guard zip(parts, parts.dropFirst()).allSatisfy({ $0.number < $1.number }) else {
            throw HTTPFailure(
                .badRequest, "InvalidPartOrder",
                "The list of parts was not in ascending order. Parts must be ordered by part number.")
        }
        let record = try await complete(upload, in: bucket, parts, document, request)
        var writer = XMLWriter()
        writer.open("CompleteMultipartUploadResult", XMLWriter.space)
        writer.element(
            "Location",
            "\(request.head.isSecure ? "https" : "http")://\(try request.head.host)\((request.head.head.path ?? "").prefix { $0 != "?" })"
        )
        writer.element("Bucket", bucket.name)
        writer.element("Key", key)
        writer.element("ETag", "\"\(record.entityTag)\"")
        writer.checksums(record.properties.headers, withType: true)
        writer.close()
        try await request.send(writer)
    }

    private func complete(
        _ upload: PartialUpload, in bucket: ObjectContainer, _ parts: [(number: Int, tag: String)],
        _ document: XMLElement, _ request: S3Request
    ) async throws -> ObjectRecord {
        let condition = try WriteCondition(request.head)
        let checksum = UploadChecksum(of: upload)
        let expectation = try UploadChecksum.Expectation(request.head, document)
        do {
            return try await directory.run { directory in
                try directory.complete(upload, in: bucket, parts: parts, condition: condition) { parts in
                    var headers = upload.properties.headers
                    for name in checksum.stored.keys { headers[name] = nil }
                    headers[checksum.algorithm.header] = try checksum.value(of: parts, expectation)
                    return headers
                }
            }
        } catch  where error.code == .invalidRequest {
            throw HTTPFailure(.badRequest, "InvalidRequest", error.message)
        }
    }

    func abort(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws {
        let upload = try await upload(request, key, bucket)
        try await directory.run { try $0.abort(upload) }
        try await request.sendEmpty(.noContent)
    }
}
