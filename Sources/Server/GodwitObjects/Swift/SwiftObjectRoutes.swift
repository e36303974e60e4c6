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

/// Requests for an object.
struct SwiftObjectRoutes {
    let directory: ObjectDirectory

    /// The parts of a request for an object.
    struct Target {
        let request: SwiftRequest
        let account: ObjectAccount
        let container: ObjectContainer
        let name: String
        /// The temporary URL that permits the request; `nil` if the client's own rights permit it.
        let temporary: TemporaryURL?
        /// The rights of the client; `nil` for a temporary URL.
        let access: SwiftAccess?

        /// Whether the client may read the objects of a container of the account.
        func mayRead(_ other: ObjectContainer) -> Bool {
            guard let access else { return other.id == container.id }
            return access.permits(.read(other))
        }

        /// Whether the client may delete the objects of a container of the account.
        func mayWrite(_ other: ObjectContainer) -> Bool { access?.permits(.write(other)) ?? false }
    }

    func handle(_ request: SwiftRequest, _ container: String, _ name: String) async throws {
        let target = try await target(request, container, name)
        switch request.method {
        case .get, .head: try await SwiftObjectReading(directory: directory).read(target)
        case .put: try await put(target)
        case .post: try await change(target)
        case .delete: try await delete(target)
        case HTTPRequest.Method("COPY"): try await copy(target)
        default:
            throw HTTPFailure(.methodNotAllowed, "Method Not Allowed", "The method is not allowed for this resource.")
        }
    }

    /// Finds the container and checks the right of the client.
    private func target(_ request: SwiftRequest, _ containerName: String, _ name: String) async throws -> Target {
        if let temporary = TemporaryURL(request.head) {
            let accountName = request.account
            let (account, container) = try await directory.run { directory in
                let account = try directory.account(named: accountName)
                return (account, try account.flatMap { try directory.container(containerName, of: $0.id) })
            }
            guard let account, temporary.permits(request, container, account), !isLarge(request) else {
                throw HTTPFailure(.unauthorized, "Unauthorized", "The temporary URL is not valid, or has expired.")
            }
            guard let container else { throw ObjectError.missing(container: containerName) }
            return Target(
                request: request, account: account, container: container, name: name, temporary: temporary, access: nil)
        }
        let access = try await SwiftAccess(request, directory)
        guard let container = try await directory.run({ try $0.container(containerName, of: access.account.id) }) else {
            try access.check(.manage)
            throw ObjectError.missing(container: containerName)
        }
        let isReading = request.method == .get || request.method == .head
        try access.check(isReading ? .read(container) : .write(container))
        if request.method.rawValue == "COPY" || request.head.header("X-Copy-From") != nil { try access.check(.manage) }
        return Target(
            request: request, account: access.account, container: container, name: name, temporary: nil, access: access)
    }

    /// Whether a request refers to other objects, for example as segments of a large object or as the source of a copy.
    /// A temporary URL does not permit this.
    private func isLarge(_ request: SwiftRequest) -> Bool {
        request.head.hasQuery("multipart-manifest") || request.method.rawValue == "COPY"
            || ["X-Object-Manifest", "X-Copy-From"].contains { request.head.header($0) != nil }
    }

    // MARK: Writing

    private func put(_ target: Target) async throws {
        let head = target.request.head
        if let source = head.header("X-Copy-From") { return try await copy(from: source, to: target) }
        if head.query("multipart-manifest") == "put" {
            return try await StaticManifest(directory: directory).put(target, newObject(target))
        }
        guard head.hasLength else {
            throw HTTPFailure(.lengthRequired, "Length Required", "Missing Content-Length header.")
        }
        let object = try newObject(target)
        let container = target.container
        let length = head.contentLength
        try await directory.run { try $0.check(object, in: container, length: length) }
        let upload = try await head.receiveObject(of: target.account.id, in: directory)
        if let tag = head.header("ETag").flatMap({ EntityTags($0).tags.first }),
            !tag.lowercased().isIdenticalText(to: upload.md5)
        {
            throw ObjectError(.badDigest, "The bytes do not have the MD5 of the header ETag. Nothing was stored.")
        }
        let record = try await directory.run { try $0.store(object, in: container, upload) }
        try await sendCreated(record, target.request)
    }

    private func sendCreated(_ record: ObjectRecord, _ request: SwiftRequest) async throws {
        var headers = request.headers()
        headers[.eTag] = SwiftObjectRoutes.tag(of: record)
        headers[.lastModified] = HTTPDate.text(record.modified / 1_000)
        try await request.response.sendEmpty(.created, headers: headers)
    }

    /// Returns the entity tag as Swift writes it: without quotation marks, except for large objects.
    static func tag(of record: ObjectRecord) -> String {
        record.manifest == nil ? record.entityTag : "\"\(record.entityTag)\""
    }

    /// Returns the type that the request contains. If it contains none, or `X-Detect-Content-Type`, returns that of the
    /// object's name.
    private static func contentType(of target: Target) -> String {
        let isDetected = target.request.head.header("X-Detect-Content-Type").map(SwiftRequest.isTrue) ?? false
        if !isDetected, let type = target.request.head.header(.contentType), !type.isEmpty { return type }
        return SwiftContentTypes.type(ofName: target.name) ?? StoredProperties.contentTypeDefault
    }

    private func newObject(_ target: Target) throws -> NewObject {
        let head = target.request.head
        var properties = StoredProperties(contentType: Self.contentType(of: target))
        properties.metadata = SwiftObjectHeaders.metadata(head)
        properties.headers = SwiftObjectHeaders.headers(head)
        if let manifest = head.header("X-Object-Manifest") {
            guard manifest.utf8.contains(UInt8(ascii: "/")), manifest.utf8.first != UInt8(ascii: "/") else {
                throw HTTPFailure(.badRequest, "Bad Request", "X-Object-Manifest must be CONTAINER/PREFIX.")
            }
            properties.headers[SwiftObjectHeaders.manifest] = manifest
        }
        return NewObject(
            name: target.name, properties: properties, expires: try SwiftObjectHeaders.expires(head),
            condition: try WriteCondition(head))
    }

    /// Replaces the metadata, the stored headers and the time of removal of an object. The content type and the prefix
    /// of the segments are only replaced if the request contains new values.
    private func change(_ target: Target) async throws {
        let head = target.request.head
        let (container, name) = (target.container, target.name)
        let (type, metadata, headers) = (
            head.header(.contentType), SwiftObjectHeaders.metadata(head), SwiftObjectHeaders.headers(head)
        )
        let (manifest, expires) = (head.header("X-Object-Manifest"), try SwiftObjectHeaders.expires(head))
        let condition = try WriteCondition(head)
        try await directory.run { directory in
            try directory.changeProperties(ofObject: name, in: container) { record in
                try condition.check(record)
                var properties = StoredProperties(
                    contentType: type ?? record.properties.contentType, metadata: metadata, headers: headers)
                properties.headers[SwiftObjectHeaders.manifest] =
                    manifest ?? record.properties.headers[SwiftObjectHeaders.manifest]
                // The bytes stay as they are, and so do their checksums.
                for (name, value) in record.properties.headers where name.begins(with: Checksum.headerPrefix) {
                    properties.headers[name] = value
                }
                return (properties, expires)
            }
        }
        try await target.request.response.sendEmpty(.accepted, headers: target.request.headers())
    }

    private func delete(_ target: Target) async throws {
        if target.request.head.query("multipart-manifest") == "delete" {
            return try await StaticManifest(directory: directory).delete(target)
        }
        let (container, name) = (target.container, target.name)
        let condition = try WriteCondition(target.request.head)
        guard try await directory.run({ try $0.deleteObject(named: name, in: container, condition: condition) }) else {
            throw ObjectError.missing(name, in: container.name)
        }
        try await target.request.response.sendEmpty(.noContent, headers: target.request.headers())
    }

    // MARK: Copying

    /// Copies the object of the path to the object in the header `Destination`.
    private func copy(_ target: Target) async throws {
        guard let destination = target.request.head.header("Destination") else {
            throw HTTPFailure(.preconditionFailed, "Precondition Failed", "The header Destination is missing.")
        }
        let (containerName, name) = try Self.location(destination, "Destination")
        let account = target.account.id
        guard let container = try await directory.run({ try $0.container(containerName, of: account) }) else {
            throw ObjectError.missing(container: containerName)
        }
        try await copy(target.name, of: target.container, to: name, of: container, target)
    }

    private func copy(from source: String, to target: Target) async throws {
        let (containerName, name) = try Self.location(source, "X-Copy-From")
        let account = target.account.id
        guard let container = try await directory.run({ try $0.container(containerName, of: account) }) else {
            throw ObjectError.missing(container: containerName)
        }
        try await copy(name, of: container, to: target.name, of: target.container, target)
    }

    private func copy(
        _ name: String, of container: ObjectContainer, to newName: String, of newContainer: ObjectContainer,
        _ target: Target
    ) async throws {
        let head = target.request.head
        let source = try await directory.run { try $0.existingObject(named: name, in: container) }
        var condition = try WriteCondition(head)
        if target.request.method.rawValue == "COPY" {
            // The object of the path is the source. `*` in `If-None-Match` is about the copy, as in a PUT.
            let requiresAbsence = condition.requiresAbsence
            (condition.requiresAbsence, condition.otherTags) = (false, condition.otherTags.filter { $0 != "*" })
            try condition.check(source)
            condition = WriteCondition(requiresAbsence: requiresAbsence)
        }
        var properties = source.properties
        let isFresh = head.header("X-Fresh-Metadata")?.lowercased() == "true"
        if isFresh { properties = StoredProperties(contentType: source.properties.contentType) }
        properties.metadata.merge(SwiftObjectHeaders.metadata(head)) { $1 }
        properties.headers.merge(SwiftObjectHeaders.headers(head)) { $1 }
        if let type = head.header(.contentType), !type.isEmpty { properties.contentType = type }
        let expires = try SwiftObjectHeaders.expires(head) ?? (isFresh ? nil : source.expires)
        let object = NewObject(
            name: newName, properties: properties, expires: expires, condition: condition,
            manifest: source.manifest)
        let record = try await directory.run { try $0.copy(source, as: object, in: newContainer) }
        try await sendCreated(record, target.request)
    }

    /// Reads a header that names a container and an object, in percent-encoded form. The value may begin with a slash.
    private static func location(_ text: String, _ header: String) throws -> (container: String, object: String) {
        let path = text.utf8.dropFirst(text.utf8.first == UInt8(ascii: "/") ? 1 : 0)
        let parts = path.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
            .map(Substring.init)
        guard parts.count == 2, let container = decoded(parts[0]), let object = decoded(parts[1]),
            ObjectNames.isContainer(container), ObjectNames.isObject(object)
        else { throw HTTPFailure(.preconditionFailed, "Precondition Failed", "\(header) must be CONTAINER/OBJECT.") }
        return (container, object)
    }

    private static func decoded(_ text: Substring) -> String? {
        [UInt8](percentEncoded: text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// The headers of objects.
enum SwiftObjectHeaders {
    static let manifest = "x-object-manifest"
    private static let metadataPrefix = "x-object-meta-"
    private static let kept = [
        "content-encoding", "content-disposition", "cache-control", "content-language", "expires",
    ]

    static func metadata(_ request: ServerRequest) -> [String: String] {
        request.head.headerFields.withPrefix(metadataPrefix).filter { !$0.value.isEmpty }
    }

    static func headers(_ request: ServerRequest) -> [String: String] {
        Dictionary(
            kept.compactMap { name in request.header(name).map { (name, $0) } }, uniquingKeysWith: { $1 })
    }

    /// Returns the time of the removal that a request sets, in seconds since 1970; `nil` if it sets none.
    static func expires(_ request: ServerRequest) throws(HTTPFailure) -> Int? {
        if let text = request.header("X-Delete-After") {
            guard let seconds = Int(text), 0...Int(Int32.max) ~= seconds else {
                throw HTTPFailure(.badRequest, "Bad Request", "Non-integer X-Delete-After")
            }
            return ObjectTime.now.addingSaturated(seconds)
        }
        guard let text = request.header("X-Delete-At") else { return nil }
        guard let time = Int(text) else { throw HTTPFailure(.badRequest, "Bad Request", "Non-integer X-Delete-At") }
        guard time > ObjectTime.now else { throw HTTPFailure(.badRequest, "Bad Request", "X-Delete-At in past") }
        return time
    }

    /// Returns the headers of a response with an object.
    static func fields(of record: ObjectRecord, _ request: SwiftRequest) -> HTTPFields {
        var headers = request.headers()
        for (name, value) in record.properties.headers where Self.kept.contains(name) || name == Self.manifest {
            headers.set(name, value)
        }
        for (name, value) in record.properties.metadata { headers.set(metadataPrefix + name, value) }
        headers.set("X-Timestamp", ObjectTime.timestamp(milliseconds: record.modified))
        if let expires = record.expires { headers.set("X-Delete-At", "\(expires)") }
        if record.manifest != nil { headers.set("X-Static-Large-Object", "True") }
        headers[.contentType] = record.properties.contentType
        return headers
    }
}
