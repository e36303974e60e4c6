//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// Requests for buckets.
struct S3BucketRoutes {
    let directory: ObjectDirectory

    /// The region of all buckets.
    private static let region = "us-east-1"

    /// Sends a page of buckets. Without `max-buckets`, the page has all of them.
    func listBuckets(_ request: S3Request) async throws {
        let account = request.account
        let countMax = try Self.bucketCountMax(request)
        let prefix = request.head.query("prefix") ?? ""
        let start = try S3Listing.nameInToken(of: request) ?? ""
        let isInRegion = request.head.query("bucket-region").map { $0.isIdenticalText(to: Self.region) } ?? true
        let found = try await directory.run { directory in
            guard isInRegion else { return [ObjectContainer]() }
            return try directory.containers(of: account.id, prefix: prefix, after: start, countMax: countMax + 1)
        }
        let buckets = found.prefix(countMax)
        var writer = XMLWriter()
        writer.open("ListAllMyBucketsResult", XMLWriter.space)
        writer.owner(account)
        writer.open("Buckets")
        for bucket in buckets {
            writer.open("Bucket")
            writer.element("Name", bucket.name)
            writer.element("CreationDate", ObjectTime.iso(milliseconds: bucket.created.multipliedSaturated(by: 1_000)))
            writer.close()
        }
        writer.close()
        if !prefix.isEmpty { writer.element("Prefix", prefix) }
        if found.count > countMax, let last = buckets.last {
            writer.element("ContinuationToken", Base64URL.encode(Array(last.name.utf8)))
        }
        writer.close()
        try await request.send(writer)
    }

    private static func bucketCountMax(_ request: S3Request) throws(HTTPFailure) -> Int {
        guard let text = request.head.query("max-buckets") else { return ObjectLimits.containersPerAccountMax }
        guard let count = Int(text), 1...ObjectLimits.containersPerAccountMax ~= count else {
            throw S3Failure.invalid(
                "max-buckets must be a number from 1 to \(ObjectLimits.containersPerAccountMax).")
        }
        return count
    }

    func handle(_ request: S3Request, _ name: String, _ bucket: ObjectContainer?) async throws {
        if request.method == .put, S3BucketRoutes.subresource(of: request) == nil {
            return try await create(request, name, bucket)
        }
        guard let bucket else { throw ObjectError.missing(container: name) }
        switch (request.method, S3BucketRoutes.subresource(of: request)) {
        case (.get, nil), (.get, "list-type"): try await S3Listing(directory: directory).sendObjects(request, bucket)
        case (.head, nil): try await request.sendEmpty(.ok, headers: S3BucketRoutes.regionHeader)
        case (.get, "location"): try await sendLocation(request)
        case (.get, "versioning"): try await sendEmptyDocument("VersioningConfiguration", request)
        case (.get, "acl"): try await sendAccessList(request, bucket)
        case (.put, "acl"): try await setAccess(request, bucket)
        case (.get, "cors"): try await sendCrossOrigin(request, bucket)
        case (.put, "cors"): try await setCrossOrigin(request, bucket)
        case (.delete, "cors"): try await set([ObjectContainer.crossOriginHeader: nil], of: bucket, request, .noContent)
        case (.get, "uploads"): try await S3Listing(directory: directory).sendUploads(request, bucket)
        case (.post, "delete"): try await S3DeleteRoutes(directory: directory).deleteMany(request, bucket)
        case (.delete, nil): try await delete(request, bucket)
        case (_, let feature?): throw S3Failure.notImplemented("The subresource \(feature) of buckets")
        default: throw S3Request.methodNotAllowed
        }
    }

    /// The parameters that only select which objects are listed.
    private static let listParameters: Set<String> = [
        "prefix", "delimiter", "marker", "max-keys", "encoding-type", "continuation-token", "start-after",
        "fetch-owner",
        "list-type", "x-id", "key-marker", "upload-id-marker", "max-uploads",
    ]

    /// Returns the name of the part of a bucket that the query selects; `nil` for the bucket itself.
    static func subresource(of request: S3Request) -> String? {
        let names = request.head.target.query.map(\.name).filter {
            !Self.listParameters.contains($0) && !$0.begins(with: "X-Amz-") && !$0.begins(with: "response-")
        }
        return names.first
    }

    private static let regionHeader: HTTPFields = {
        var headers: HTTPFields = [:]
        headers.set("x-amz-bucket-region", region)
        return headers
    }()

    // MARK: Creating and deleting

    private func create(_ request: S3Request, _ name: String, _ bucket: ObjectContainer?) async throws {
        guard S3BucketRoutes.isBucketName(name) else {
            throw HTTPFailure(
                .badRequest, "InvalidBucketName",
                "A bucket has 3 to 63 lower-case letters, digits, dots and hyphens, and begins and ends with a letter or digit."
            )
        }
        guard bucket == nil else {
            throw HTTPFailure(
                .conflict, "BucketAlreadyOwnedByYou",
                "Your previous request to create the named bucket succeeded and you already own it.")
        }
        let headers = try readersHeader(request) ?? [:]
        if request.head.contentLength ?? 0 > 0 { _ = try await request.readXML() }
        let account = request.account
        _ = try await directory.run { try $0.createContainer(name, of: account, headers: headers) }
        try await request.sendEmpty(.ok, headers: [.location: "/\(name)"])
    }

    /// S3's rules for names.
    private static func isBucketName(_ name: String) -> Bool {
        let isLetterOrDigit: (UInt8) -> Bool = {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
        }
        guard 3...63 ~= name.utf8.count, let first = name.utf8.first, let last = name.utf8.last else { return false }
        return isLetterOrDigit(first) && isLetterOrDigit(last) && !name.includes("..")
            && name.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
    }

    private func delete(_ request: S3Request, _ bucket: ObjectContainer) async throws {
        try await directory.run { try $0.delete(bucket) }
        try await request.sendEmpty(.noContent)
    }

    // MARK: Properties

    private func sendLocation(_ request: S3Request) async throws {
        var writer = XMLWriter()
        writer.open("LocationConstraint", XMLWriter.space)
        writer.close()
        try await request.send(writer)
    }

    private func sendEmptyDocument(_ name: String, _ request: S3Request) async throws {
        var writer = XMLWriter()
        writer.open(name, XMLWriter.space)
        writer.close()
        try await request.send(writer)
    }

    private func sendAccessList(_ request: S3Request, _ bucket: ObjectContainer) async throws {
        let isPublic = bucket.headers[ObjectContainer.readersHeader]?.includes(ObjectContainer.everyone) ?? false
        try await request.send(.accessList(of: request.account, isPublic: isPublic))
    }

    /// Returns the header to store for the readers of a bucket. It is derived from the canned access list in a request.
    /// Returns `nil` if the request contains no such list.
    private func readersHeader(_ request: S3Request) throws -> [String: String]? {
        switch request.head.header("x-amz-acl") {
        case nil: nil
        case "private": [ObjectContainer.readersHeader: ""]
        case "public-read": [ObjectContainer.readersHeader: ObjectContainer.everyone]
        case let other?: throw S3Failure.notImplemented("The access list \(other)")
        }
    }

    private func setAccess(_ request: S3Request, _ bucket: ObjectContainer) async throws {
        guard let headers = try readersHeader(request) else {
            throw S3Failure.notImplemented("An access list other than private and public-read in the header x-amz-acl")
        }
        try await set(headers.mapValues { $0.isEmpty ? nil : $0 }, of: bucket, request, .ok)
    }

    private func sendCrossOrigin(_ request: S3Request, _ bucket: ObjectContainer) async throws {
        guard let rules = S3CrossOrigin(of: bucket) else {
            throw HTTPFailure(.notFound, "NoSuchCORSConfiguration", "The CORS configuration does not exist")
        }
        try await request.send(rules.document)
    }

    private func setCrossOrigin(_ request: S3Request, _ bucket: ObjectContainer) async throws {
        let rules = try S3CrossOrigin(try await request.readXML())
        try await set([ObjectContainer.crossOriginHeader: rules.stored], of: bucket, request, .ok)
    }

    private func set(
        _ changes: [String: String?], of bucket: ObjectContainer, _ request: S3Request, _ status: HTTPResponse.Status
    ) async throws {
        try await directory.run { directory in
            try directory.changeHeaders(of: bucket) { stored in
                var headers = stored
                for (name, value) in changes { headers[name] = value }
                return headers
            }
        }
        try await request.sendEmpty(status)
    }
}

extension XMLWriter {
    mutating func owner(_ account: ObjectAccount, as name: String = "Owner") {
        open(name)
        element("ID", account.name)
        element("DisplayName", account.name)
        close()
    }

    /// S3's access list of an object or bucket.
    static func accessList(of account: ObjectAccount, isPublic: Bool) -> XMLWriter {
        var writer = XMLWriter()
        writer.open("AccessControlPolicy", space)
        writer.owner(account)
        writer.open("AccessControlList")
        writer.grant("FULL_CONTROL", type: "CanonicalUser") {
            $0.element("ID", account.name)
            $0.element("DisplayName", account.name)
        }
        if isPublic {
            writer.grant("READ", type: "Group") { $0.element("URI", "http://acs.amazonaws.com/groups/global/AllUsers") }
        }
        writer.close()
        writer.close()
        return writer
    }

    private mutating func grant(_ permission: String, type: String, _ body: (inout XMLWriter) -> Void) {
        open("Grant")
        open(
            "Grantee",
            [("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"), ("xsi:type", type)])
        body(&self)
        close()
        element("Permission", permission)
        close()
    }
}
