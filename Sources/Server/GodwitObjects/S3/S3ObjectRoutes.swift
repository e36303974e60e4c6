//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import GodwitTransport
import HTTPTypes

/// Requests for objects.
struct S3ObjectRoutes {
    let directory: ObjectDirectory

    func handle(_ request: S3Request, _ bucket: ObjectContainer) async throws {
        let key = request.key ?? ""
        let parts = S3PartRoutes(directory: directory)
        switch (request.method, S3ObjectRoutes.subresource(of: request)) {
        case (.get, nil), (.head, nil): try await read(request, key, bucket)
        case (.put, nil) where request.head.header("x-amz-copy-source") != nil: try await copy(request, key, bucket)
        case (.put, nil): try await put(request, key, bucket)
        case (.delete, nil):
            let condition = try WriteCondition(request.head)
            _ = try await directory.run { try $0.deleteObject(named: key, in: bucket, condition: condition) }
            try await request.sendEmpty(.noContent)
        case (.get, "acl"): try await sendAccessList(request, key, bucket)
        case (.get, "attributes"): try await sendAttributes(request, key, bucket)
        case (.post, "uploads"): try await parts.begin(request, key, bucket)
        case (.put, "uploadId"): try await parts.put(request, key, bucket)
        case (.post, "uploadId"): try await parts.complete(request, key, bucket)
        case (.delete, "uploadId"): try await parts.abort(request, key, bucket)
        case (.get, "uploadId"): try await parts.list(request, key, bucket)
        case (.put, "partNumber"): throw S3Failure.invalid("The parameter partNumber requires uploadId.")
        case (_, let feature?): throw S3Failure.notImplemented("The subresource \(feature) of objects")
        default: throw S3Request.methodNotAllowed
        }
    }

    /// Whether a request compares its condition with the object: a PUT, also as a copy, a DELETE, and the completion of
    /// an upload in parts.
    static func evaluatesCondition(of request: S3Request) -> Bool {
        guard request.key != nil else { return false }
        switch (request.method, subresource(of: request)) {
        case (.put, nil), (.delete, nil), (.post, "uploadId"): return true
        default: return false
        }
    }

    /// The parameters that alone do not select a subresource of the object.
    private static let partParameters: Set<String> = [
        "max-parts", "part-number-marker", "x-id", "encoding-type",
    ]

    private static func subresource(of request: S3Request) -> String? {
        let names = request.head.target.query.map(\.name)
        if names.contains("uploadId") { return "uploadId" }
        if names.contains("partNumber") { return "partNumber" }
        return names.first {
            !Self.partParameters.contains($0) && !S3Authenticator.isOfSignature($0, in: request.head)
                && !$0.begins(with: "response-")
        }
    }

    // MARK: Reading

    private func read(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws {
        guard let object = try await directory.run({ try $0.open(key, in: bucket) }) else {
            throw ObjectError.missing(key, in: bucket.name)
        }
        let record = object.record
        try await ObjectSending(
            context: request.context, object: object, tagHeader: "\"\(record.entityTag)\"",
            headers: S3ObjectHeaders.fields(of: record, request)
        ).send()
    }

    private func sendAccessList(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws {
        _ = try await directory.run { try $0.existingObject(named: key, in: bucket) }
        let isPublic = bucket.headers[ObjectContainer.readersHeader]?.includes(ObjectContainer.everyone) ?? false
        try await request.send(.accessList(of: request.account, isPublic: isPublic))
    }

    /// Sends the attributes that the request names (`GetObjectAttributes`).
    private func sendAttributes(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws {
        let wanted = (request.head.header("x-amz-object-attributes") ?? "").commaSeparatedItems
        let known = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]
        // Exact: the known names are ASCII.
        guard !wanted.isEmpty, wanted.allSatisfy(known.contains) else {
            throw S3Failure.invalid("x-amz-object-attributes must name some of \(known.joined(separator: ", ")).")
        }
        let record = try await directory.run { try $0.existingObject(named: key, in: bucket) }
        var writer = XMLWriter()
        writer.open("GetObjectAttributesResponse", XMLWriter.space)
        if wanted.contains("ETag") { writer.element("ETag", record.entityTag) }
        let checksums = record.properties.headers.filter { $0.key.begins(with: Checksum.headerPrefix) }
        if wanted.contains("Checksum"), !checksums.isEmpty {
            writer.open("Checksum")
            writer.checksums(checksums, withType: true)
            writer.close()
        }
        let partCount = record.entityTag.utf8.split(separator: UInt8(ascii: "-")).dropFirst().first
        if wanted.contains("ObjectParts"), let partCount {
            writer.open("ObjectParts")
            writer.element("PartsCount", String(decoding: partCount, as: UTF8.self))
            writer.close()
        }
        if wanted.contains("StorageClass") { writer.element("StorageClass", "STANDARD") }
        if wanted.contains("ObjectSize") { writer.element("ObjectSize", "\(record.byteCount)") }
        writer.close()
        try await request.send(writer, headers: [.lastModified: HTTPDate.text(record.modified / 1_000)])
    }

    // MARK: Writing

    private func put(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws {
        let length = try S3Receiving.length(of: request)
        let properties = try S3ObjectHeaders.properties(request.head)
        let early = NewObject(name: key, properties: properties, condition: try WriteCondition(request.head))
        try await directory.run { try $0.check(early, in: bucket, length: length) }
        let received = try await S3Receiving(directory: directory).receive(request)
        var stored = properties
        stored.headers.merge(received.checksums) { $1 }
        let object = NewObject(name: key, properties: stored, condition: try WriteCondition(request.head))
        let upload = received.upload
        let record = try await directory.run { try $0.store(object, in: bucket, upload) }
        var headers: HTTPFields = [.eTag: "\"\(record.entityTag)\""]
        for (name, value) in received.checksums { headers.set(name, value) }
        try await request.sendEmpty(.ok, headers: headers)
    }

    private func copy(_ request: S3Request, _ key: String, _ bucket: ObjectContainer) async throws {
        guard request.head.header("x-amz-copy-source-range") == nil else {
            throw S3Failure.notImplemented("The header x-amz-copy-source-range of a copy that is not a part")
        }
        let directive = request.head.header("x-amz-metadata-directive")?.uppercased() ?? "COPY"
        guard directive == "COPY" || directive == "REPLACE" else {
            throw S3Failure.invalid("x-amz-metadata-directive must be COPY or REPLACE.")
        }
        let (source, sourceBucket) = try await copySource(of: request)
        let isReplaced = directive == "REPLACE"
        guard isReplaced || !source.name.isIdenticalText(to: key) || sourceBucket.id != bucket.id else {
            throw HTTPFailure(
                .badRequest, "InvalidRequest",
                "This copy request is illegal because it is trying to copy an object to itself without changing its metadata."
            )
        }
        var properties = try S3ObjectHeaders.properties(request.head)
        if !isReplaced { properties = source.properties }
        properties.headers = properties.headers.filter { !$0.key.begins(with: Checksum.headerPrefix) }
        properties.headers.merge(try await checksums(ofCopyOf: source, in: sourceBucket, request)) { $1 }
        let object = NewObject(
            name: key, properties: properties, expires: source.expires, condition: try WriteCondition(request.head),
            manifest: source.manifest)
        let record = try await directory.run { try $0.copy(source, as: object, in: bucket) }
        var writer = XMLWriter()
        writer.open("CopyObjectResult", XMLWriter.space)
        writer.element("LastModified", ObjectTime.iso(milliseconds: record.modified))
        writer.element("ETag", "\"\(record.entityTag)\"")
        writer.checksums(record.properties.headers, withType: true)
        writer.close()
        try await request.send(writer)
    }

    /// Returns the checksum for a copy that the request asks for; if it asks for none, those of the source.
    private func checksums(
        ofCopyOf source: ObjectRecord, in bucket: ObjectContainer, _ request: S3Request
    ) async throws -> [String: String] {
        guard let name = request.head.header(UploadChecksum.algorithmHeader) else {
            return source.properties.headers.filter { $0.key.begins(with: Checksum.headerPrefix) }
        }
        let algorithm = try Checksum.Algorithm(named: name)
        return [
            algorithm.header: try await StoredChecksum(directory: directory).value(algorithm, of: source, in: bucket)
        ]
    }

    /// Returns the object in the header `x-amz-copy-source`, if it meets the conditions of the request.
    func copySource(of request: S3Request) async throws -> (ObjectRecord, ObjectContainer) {
        let text = request.head.header("x-amz-copy-source") ?? ""
        let path = text.utf8.dropFirst(text.utf8.first == UInt8(ascii: "/") ? 1 : 0).prefix { $0 != UInt8(ascii: "?") }
        let parts = path.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false).map {
            part in
            [UInt8](percentEncoded: part).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
        }
        guard parts.count == 2, !parts[0].isEmpty, ObjectNames.isObject(parts[1]) else {
            throw S3Failure.invalid("x-amz-copy-source must be /BUCKET/KEY, percent-encoded.")
        }
        guard !text.includes("?versionId=") || text.ends(with: "?versionId=null") else {
            throw S3Failure.notImplemented("Versions of objects")
        }
        let account = request.account.id
        let (record, bucket) = try await directory.run { directory in
            guard let bucket = try directory.container(parts[0], of: account) else {
                throw ObjectError.missing(container: parts[0])
            }
            return (try directory.existingObject(named: parts[1], in: bucket), bucket)
        }
        try checkConditions(of: request, record)
        return (record, bucket)
    }

    private func checkConditions(of request: S3Request, _ record: ObjectRecord) throws(ObjectError) {
        let head = request.head
        let modified = record.modified / 1_000
        let prefix = "x-amz-copy-source-if"
        let date: (String) -> Int? = { head.header("\(prefix)-\($0)").flatMap(ObjectTime.seconds(ofDate:)) }
        let isMet =
            head.header("\(prefix)-match").map { EntityTags($0).contains(record.entityTag) } ?? true
            && head.header("\(prefix)-none-match").map { !EntityTags($0).contains(record.entityTag) } ?? true
            && date("modified-since").map { modified > $0 } ?? true
            && date("unmodified-since").map { modified <= $0 } ?? true
        guard isMet else {
            throw ObjectError(.preconditionFailed, "At least one of the conditions for the source is not met.")
        }
    }
}
