//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The list of segments of a static large object. Such an object consists of the bytes of other objects, its segments.
///
/// There is a difference to OpenStack Swift: the content of a large object consists of the bytes that its segments had
/// when the large object was created. Therefore the large object remains complete when a segment is replaced or
/// deleted. For the account's quota, the bytes of the large object and the bytes of its segments are both counted.
struct StaticManifest {
    let directory: ObjectDirectory

    static let segmentsMax = 1_000
    private static let bodyBytesMax = 2 << 20

    /// A segment in a manifest.
    private struct Segment: Sendable {
        let container: String
        let object: String
        let tag: String?
        let byteCount: Int?

        var path: String { "/\(container)/\(object)" }

        init(_ value: JSONValue) throws {
            guard value["range"] == nil, value["data"] == nil else {
                throw HTTPFailure(
                    .badRequest, "Bad Request", "Ranges of segments and segments within the manifest are not supported."
                )
            }
            let parts = (value["path"]?.stringValue ?? "").utf8.drop { $0 == UInt8(ascii: "/") }
                .split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw HTTPFailure(.badRequest, "Bad Request", "Each segment needs a path: /CONTAINER/OBJECT.")
            }
            (container, object) = (parts[0], parts[1])
            tag = try Self.text(value["etag"]).map { $0.filter { $0 != "\"" } }
            byteCount = try Self.byteCount(value["size_bytes"])
        }

        private static func text(_ value: JSONValue?) throws(HTTPFailure) -> String? {
            switch value {
            case nil, .null: return nil
            case .string(let text)?: return text
            default: throw HTTPFailure(.badRequest, "Bad Request", "The etag of a segment must be a string.")
            }
        }

        private static func byteCount(_ value: JSONValue?) throws(HTTPFailure) -> Int? {
            guard let value, value != .null else { return nil }
            guard let count = value.intValue ?? value.stringValue.flatMap({ Int($0) }), count >= 0 else {
                throw HTTPFailure(.badRequest, "Bad Request", "The size_bytes of a segment must be a number.")
            }
            return count
        }

        /// Returns the reason why an object does not match this segment; `nil` if it matches.
        func mismatch(_ record: ObjectRecord) -> String? {
            if let tag, !tag.isIdenticalText(to: record.entityTag) { return "Etag Mismatch" }
            if let byteCount, byteCount != record.byteCount { return "Size Mismatch" }
            if record.byteCount == 0 { return "Segments must be at least 1 byte." }
            return nil
        }
    }

    // MARK: Writing

    func put(_ target: SwiftObjectRoutes.Target, _ object: NewObject) async throws {
        let body = try await target.request.head.collectBody(bytesMax: Self.bodyBytesMax)
        guard let items = (try? JSONValue(parsing: body))?.arrayValue, !items.isEmpty else {
            throw HTTPFailure(.badRequest, "Bad Request", "Manifest must be valid JSON: a list of segments.")
        }
        guard items.count <= Self.segmentsMax else {
            throw HTTPFailure(
                .contentTooLarge, "Request Entity Too Large", "A manifest has at most \(Self.segmentsMax) segments.")
        }
        let segments = try items.map { try Segment($0) }
        let records = try await records(of: segments, target)
        let tag = MessageDigest.Algorithm.md5.digest(of: Array(records.map(\.entityTag).joined().utf8)).hexadecimal
        if let expected = target.request.head.header("ETag").flatMap({ EntityTags($0).tags.first }),
            !expected.isIdenticalText(to: tag)
        {
            throw ObjectError(.badDigest, "The segments do not have the tag of the header ETag. Nothing was stored.")
        }
        let container = target.container
        var large = object
        large.manifest = Self.manifest(of: segments, records)
        let newObject = large
        let record = try await directory.run { directory in
            try directory.check(newObject, in: container, length: nil)
            return try directory.store(newObject, in: container, objects: records, tag: tag)
        }
        var headers = target.request.headers()
        headers[.eTag] = SwiftObjectRoutes.tag(of: record)
        try await target.request.response.sendEmpty(.created, headers: headers)
    }

    /// Finds the objects of all segments.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 if segments are missing, empty, or different from the manifest, or if
    ///   the client may not read their containers. The error contains the names of these segments. ``ObjectError`` with
    ///   code ``ObjectError/Code/tooLarge`` if the segments have too many parts.
    private func records(
        of segments: [Segment], _ target: SwiftObjectRoutes.Target
    ) async throws -> [ObjectRecord] {
        let account = target.account.id
        let names = Set(segments.map { ExactText($0.container) })
        let containers = try await directory.run { directory in
            try names.compactMap { try directory.container($0.text, of: account) }
        }
        let readable = Dictionary(
            containers.filter(target.mayRead).map { (ExactText($0.name), $0) }, uniquingKeysWith: { $1 })
        let found = try await directory.run { directory in
            var (records, pieceCount) = ([ObjectRecord?](), 0)
            for segment in segments {
                let record = try readable[ExactText(segment.container)].flatMap {
                    try directory.object(named: segment.object, in: $0)
                }
                pieceCount = pieceCount.addingSaturated(record?.pieceCount ?? 0)
                guard pieceCount <= ObjectLimits.partsMax else {
                    throw ObjectError(
                        .tooLarge,
                        "A large object has at most \(ObjectLimits.partsMax) parts, also those of its segments.")
                }
                records.append(record)
            }
            return records
        }
        let errors = zip(segments, found).compactMap { segment, record in
            guard let record else { return "\(segment.path), 404 Not Found" }
            return segment.mismatch(record).map { "\(segment.path), \($0)" }
        }
        guard errors.isEmpty else {
            throw HTTPFailure(.badRequest, "Bad Request", "Errors:\n\(errors.joined(separator: "\n"))")
        }
        return found.compactMap { $0 }
    }

    private static func manifest(of segments: [Segment], _ records: [ObjectRecord]) -> [UInt8] {
        JSONValue.array(
            zip(segments, records).map { segment, record in
                [
                    "name": .string(segment.path), "hash": .string(record.entityTag),
                    "bytes": .integer(Int64(record.byteCount)), "content_type": .string(record.properties.contentType),
                    "last_modified": .string(ObjectTime.listed(milliseconds: record.modified)),
                ]
            }
        ).jsonBytes()
    }

    // MARK: Reading and deleting

    /// Sends the manifest itself.
    static func send(_ manifest: [UInt8], _ request: SwiftRequest, headers: HTTPFields) async throws {
        var body = manifest
        if request.head.query("format") == "raw" {
            let items = (try JSONValue(parsing: manifest).arrayValue ?? []).map { item -> JSONValue in
                [
                    "path": item["name"] ?? .null, "etag": item["hash"] ?? .null, "size_bytes": item["bytes"] ?? .null,
                ]
            }
            body = JSONValue.array(items).jsonBytes()
        }
        var headers = headers
        headers[.contentType] = nil
        headers[.eTag] = MessageDigest.Algorithm.md5.digest(of: body).hexadecimal
        try await request.response.send(contentType: "application/json; charset=utf-8", headers: headers, body: body)
    }

    /// Deletes the large object and its segments: the objects that now have the names in the manifest. If the client
    /// may not write to the container of a segment, nothing is deleted.
    func delete(_ target: SwiftObjectRoutes.Target) async throws {
        let (container, name, account) = (target.container, target.name, target.account.id)
        guard let record = try await directory.run({ try $0.object(named: name, in: container) }) else {
            throw ObjectError.missing(name, in: container.name)
        }
        let condition = try WriteCondition(target.request.head)
        try condition.check(record)
        let paths = (try JSONValue(parsing: record.manifest ?? Array("[]".utf8)).arrayValue ?? []).map { item in
            (item["name"]?.stringValue ?? "").utf8.dropFirst()
                .split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }.filter { $0.count == 2 }
        let names = Set(paths.map { ExactText($0[0]) })
        let containers = try await directory.run { directory in
            try names.compactMap { try directory.container($0.text, of: account) }
        }
        // The segments may be in other containers than the object, and the client may not be permitted to write to
        // these containers.
        guard containers.allSatisfy(target.mayWrite) else { throw SwiftAccess.forbidden }
        let counts = try await directory.run { directory -> (deleted: Int, missing: Int) in
            let named = Dictionary(containers.map { (ExactText($0.name), $0) }, uniquingKeysWith: { $1 })
            var counts = (deleted: 0, missing: 0)
            // The object is deleted first, because another request may have changed it since its condition was checked.
            if try directory.deleteObject(named: name, in: container, condition: condition) { counts.deleted += 1 }
            for path in paths {
                let isDeleted =
                    try named[ExactText(path[0])].map { try directory.deleteObject(named: path[1], in: $0) } ?? false
                if isDeleted { counts.deleted += 1 } else { counts.missing += 1 }
            }
            return counts
        }
        try await SwiftDeletions(deletedCount: counts.deleted, missingCount: counts.missing).send(target.request)
    }
}
