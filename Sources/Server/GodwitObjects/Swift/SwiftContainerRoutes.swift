//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// Requests for a container: its properties and its objects.
struct SwiftContainerRoutes {
    let directory: ObjectDirectory

    private static let metadataPrefix = "x-container-meta-"
    private static let removalPrefix = "x-remove-container-meta-"
    private static let ruleHeaders = [ObjectContainer.readersHeader, ObjectContainer.writersHeader]

    func handle(_ request: SwiftRequest, _ name: String) async throws {
        let access = try await SwiftAccess(request, directory)
        if request.method == .put {
            try access.check(.manage)
            return try await create(request, name, access.account)
        }
        guard let container = try await directory.run({ try $0.container(name, of: access.account.id) }) else {
            // This check precedes the error for a missing container. Otherwise, a client without rights could find out
            // which containers exist.
            try access.check(.manage)
            throw ObjectError.missing(container: name)
        }
        switch request.method {
        case .get, .head: try await read(request, container, access)
        case .post:
            try access.check(.manage)
            try await change(request, container)
        case .delete:
            try access.check(.manage)
            try await directory.run { try $0.delete(container) }
            try await request.response.sendEmpty(.noContent, headers: request.headers())
        default:
            throw HTTPFailure(.methodNotAllowed, "Method Not Allowed", "The method is not allowed for this resource.")
        }
    }

    // MARK: Changing

    private func create(_ request: SwiftRequest, _ name: String, _ account: ObjectAccount) async throws {
        let fields = request.head.head.headerFields
        let isNew = try await directory.run { directory in
            let headers = try Self.changed([:], by: fields)
            guard try !directory.createContainer(name, of: account, headers: headers) else { return true }
            if let container = try directory.container(name, of: account.id) {
                try directory.changeHeaders(of: container) { try Self.changed($0, by: fields) }
            }
            return false
        }
        try await request.response.sendEmpty(isNew ? .created : .accepted, headers: request.headers())
    }

    private func change(_ request: SwiftRequest, _ container: ObjectContainer) async throws {
        let fields = request.head.head.headerFields
        try await directory.run { directory in
            try directory.changeHeaders(of: container) { try Self.changed($0, by: fields) }
        }
        try await request.response.sendEmpty(.noContent, headers: request.headers())
    }

    /// Returns stored headers, changed by the headers of a request.
    private static func changed(
        _ stored: [String: String], by fields: HTTPFields
    ) throws(ObjectError) -> [String: String] {
        let headers = SwiftMetadata.changed(
            stored, by: fields, prefix: metadataPrefix, removal: removalPrefix, others: ruleHeaders)
        for header in ruleHeaders {
            let rules = (headers[header] ?? "").commaSeparatedItems
            let isWriters = header == ObjectContainer.writersHeader
            for rule in rules
            where rule.utf8.first == UInt8(ascii: ".")
                && (isWriters || !(rule.utf8.starts(with: ".r:".utf8) || rule == ".rlistings"))
            {
                throw ObjectError(.invalidRequest, "\(header) has the unknown rule \(rule).")
            }
        }
        // Quotas of containers are not supported and therefore refused. If they were only stored, the owner would
        // assume that they are enforced.
        guard !headers.keys.contains(where: { $0.begins(with: "\(metadataPrefix)quota-") }) else {
            throw ObjectError(.invalidRequest, "Containers have no quotas: set that of the account.")
        }
        return headers
    }

    // MARK: Reading

    private func read(_ request: SwiftRequest, _ container: ObjectContainer, _ access: SwiftAccess) async throws {
        // A browser gets a page with the list if the owner of the container has enabled this.
        let isPage =
            !access.isOwner && container.isWebListed && request.method == .get
            && request.head.query("format") == nil
        if isPage, let index = container.webIndex, request.path.raw.ends(with: "/"),
            try await directory.run({ try $0.object(named: index, in: container) }) != nil
        {
            return try await SwiftObjectRoutes(directory: directory).handle(request, container.name, index)
        }
        try access.check(.list(container))
        var headers = headers(of: container, request, isOwner: access.isOwner)
        guard request.method == .get else {
            return try await request.response.sendEmpty(.noContent, headers: headers)
        }
        let query = try SwiftListQuery(request.head)
        if isPage {
            guard request.path.raw.ends(with: "/") else {
                headers[.location] = "\(request.path.raw)/"
                return try await request.response.sendEmpty(.movedPermanently, headers: headers)
            }
            return try await sendPage(request, container, prefix: query.prefix, headers: headers)
        }
        try await SwiftListing(rows: try await rows(container, query), element: "container", name: container.name)
            .send(query.format, request, headers: headers)
    }

    /// Sends one level of a container as a page with a list.
    func sendPage(
        _ request: SwiftRequest, _ container: ObjectContainer, prefix: String, headers: HTTPFields
    ) async throws {
        var query = try SwiftListQuery(request.head)
        (query.prefix, query.delimiter, query.limit) = (prefix, "/", ObjectLimits.pageCountMax)
        let listing = SwiftListing(rows: try await rows(container, query), element: "container", name: container.name)
        var headers = headers
        headers.set(
            "Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        headers.set("X-Content-Type-Options", "nosniff")
        try await request.response.send(
            contentType: "text/html; charset=utf-8", headers: headers,
            body: listing.page(title: "\(container.name)/\(prefix)"))
    }

    /// Returns the headers of a response about a container. Access rules and the keys of temporary URLs are only sent
    /// to the owner.
    func headers(of container: ObjectContainer, _ request: SwiftRequest, isOwner: Bool) -> HTTPFields {
        var headers = request.headers()
        headers.set("X-Container-Object-Count", "\(container.objects)")
        headers.set("X-Container-Bytes-Used", "\(container.bytes)")
        headers.set("X-Timestamp", ObjectTime.timestamp(milliseconds: container.created.multipliedSaturated(by: 1_000)))
        headers.set("X-Storage-Policy", "Policy-0")
        headers[.acceptRanges] = "bytes"
        for (name, value) in container.headers
        where name != ObjectContainer.crossOriginHeader && (isOwner || !Self.isSecret(name)) {
            headers.set(name, value)
        }
        return headers
    }

    private static func isSecret(_ header: String) -> Bool {
        // Exact: the names of these headers are ASCII.
        ruleHeaders.contains(header) || header.begins(with: "\(metadataPrefix)temp-url-key")
    }

    private func rows(_ container: ObjectContainer, _ query: SwiftListQuery) async throws -> [SwiftListRow] {
        var listing = ListingRequest()
        listing.prefix = query.prefix
        listing.delimiter = query.delimiter
        listing.after = query.marker
        listing.end = query.endMarker
        listing.isDescending = query.isReversed
        listing.countMax = query.limit
        let request = listing
        return try await directory.run { try $0.list(container, request).entries }.map { entry in
            switch entry {
            case .prefix(let prefix): .subdirectory(prefix)
            case .object(let record):
                .object(
                    name: record.name, bytes: record.byteCount, tag: record.entityTag,
                    type: record.properties.contentType, modified: record.modified)
            }
        }
    }
}

extension ObjectContainer {
    /// Whether browsers see a page with the container's objects.
    var isWebListed: Bool {
        headers["x-container-meta-web-listings"].map(SwiftRequest.isTrue) ?? false || webIndex != nil
    }

    /// The name of the object that browsers see instead of a list; `nil` for none.
    var webIndex: String? { headers["x-container-meta-web-index"] }

    /// The name of the stored header that contains the rules for pages of other origins, in S3's form.
    static let crossOriginHeader = "s3-cors"
}
