//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// Reads objects. An object may be a dynamic large object, which consists of all objects whose names begin with a
/// prefix.
struct SwiftObjectReading {
    let directory: ObjectDirectory

    /// The largest number of segments of a dynamic large object.
    static let segmentsMax = 10_000

    func read(_ target: SwiftObjectRoutes.Target) async throws {
        let (container, name) = (target.container, target.name)
        guard let object = try await directory.run({ try $0.open(name, in: container) }) else {
            return try await sendPage(target)
        }
        let record = object.record
        var headers = SwiftObjectHeaders.fields(of: record, target.request)
        if let temporary = target.temporary { headers[.contentDisposition] = temporary.disposition(of: name) }
        if let manifest = record.manifest, target.request.head.query("multipart-manifest") == "get" {
            return try await StaticManifest.send(manifest, target.request, headers: headers)
        }
        var sending = ObjectSending(
            context: target.request.context, object: object, tagHeader: SwiftObjectRoutes.tag(of: record),
            headers: headers)
        if let prefix = record.properties.headers[SwiftObjectHeaders.manifest] {
            sending = try await dynamic(record, prefix, target, headers)
        }
        try await sending.send()
    }

    /// If the path ends with a slash and the container has pages for browsers, sends one level of the container as a
    /// page.
    private func sendPage(_ target: SwiftObjectRoutes.Target) async throws {
        let isPage =
            target.container.isWebListed && target.name.ends(with: "/") && target.temporary == nil
            && target.request.method == .get && target.request.head.header("X-Auth-Token") == nil
        guard isPage else { throw ObjectError.missing(target.name, in: target.container.name) }
        let access = try await SwiftAccess(target.request, directory)
        try access.check(.list(target.container))
        let routes = SwiftContainerRoutes(directory: directory)
        try await routes.sendPage(
            target.request, target.container, prefix: target.name,
            headers: routes.headers(of: target.container, target.request, isOwner: access.isOwner))
    }

    /// Returns a dynamic large object. It consists of all objects with a prefix.
    private func dynamic(
        _ record: ObjectRecord, _ manifest: String, _ target: SwiftObjectRoutes.Target, _ headers: HTTPFields
    ) async throws -> ObjectSending {
        let parts = manifest.utf8.split(
            separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        let containerName = [UInt8](percentEncoded: parts[0]).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let prefix =
            parts.count > 1
            ? [UInt8](percentEncoded: parts[1]).map { String(decoding: $0, as: UTF8.self) } ?? "" : ""
        let account = target.account.id
        let container = try await directory.run { try $0.container(containerName, of: account) }
        // The segments may be in another container than the object, and the client may not be permitted to read that
        // container.
        guard container.map(target.mayRead) ?? true else {
            throw target.access == nil ? SwiftAccess.unauthorized : SwiftAccess.forbidden
        }
        let (object, tag) = try await directory.run { directory in
            let segments = try container.map { try Self.segments(with: prefix, in: $0, directory) } ?? []
            let tags = Array(segments.map(\.entityTag).joined().utf8)
            let tag = MessageDigest.Algorithm.md5.digest(of: tags).hexadecimal
            let whole = record.asWhole(of: segments, tag: tag)
            guard let container else { return (PinnedObject(whole, in: directory), tag) }
            guard let object = try directory.pin(whole, of: segments, in: container) else {
                throw ObjectError(.overloaded, "The segments are being changed. Try again.")
            }
            return (object, tag)
        }
        return ObjectSending(
            context: target.request.context, object: object, tagHeader: "\"\(tag)\"", headers: headers)
    }

    private static func segments(
        with prefix: String, in container: ObjectContainer, _ directory: ObjectDirectory
    ) throws -> [ObjectRecord] {
        var listing = ListingRequest()
        (listing.prefix, listing.countMax) = (prefix, segmentsMax)
        let (entries, hasMore) = try directory.list(container, listing)
        guard !hasMore else {
            throw ObjectError(.tooLarge, "A large object has at most \(segmentsMax) segments.")
        }
        var records: [ObjectRecord] = []
        for entry in entries {
            if let record = try directory.object(named: entry.name, in: container) { records.append(record) }
            try ObjectDirectory.checkPieces(of: records.suffix(1))
        }
        try ObjectDirectory.checkPieces(of: records)
        return records
    }
}
