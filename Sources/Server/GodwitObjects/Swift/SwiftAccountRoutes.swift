//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// Requests for an account: its properties and its containers.
struct SwiftAccountRoutes {
    let directory: ObjectDirectory

    private static let metadataPrefix = "x-account-meta-"
    private static let removalPrefix = "x-remove-account-meta-"

    func handle(_ request: SwiftRequest) async throws {
        let access = try await SwiftAccess(request, directory)
        try access.check(.manage)
        switch request.method {
        case .get: try await list(request, access.account)
        case .head: try await request.response.sendEmpty(.noContent, headers: headers(of: access.account, request))
        case .post: try await change(request, access.account)
        default:
            // Clients cannot create or remove accounts. Administrators use other routes for this purpose.
            throw HTTPFailure(.methodNotAllowed, "Method Not Allowed", "The method is not allowed for this resource.")
        }
    }

    private func headers(of account: ObjectAccount, _ request: SwiftRequest) -> HTTPFields {
        var headers = request.headers()
        headers.set("X-Account-Container-Count", "\(account.containers)")
        headers.set("X-Account-Object-Count", "\(account.objects)")
        headers.set("X-Account-Bytes-Used", "\(account.bytes)")
        if let quota = account.quota { headers.set("X-Account-Meta-Quota-Bytes", "\(quota)") }
        headers.set("X-Timestamp", ObjectTime.timestamp(milliseconds: account.created.multipliedSaturated(by: 1_000)))
        for (name, value) in account.headers { headers.set(name, value) }
        return headers
    }

    /// Changes metadata, for example the keys of temporary URLs.
    private func change(_ request: SwiftRequest, _ account: ObjectAccount) async throws {
        let fields = request.head.head.headerFields
        guard fields.withPrefix("\(Self.metadataPrefix)quota-").isEmpty else {
            throw HTTPFailure(.forbidden, "Forbidden", "Only administrators of the server change quotas.")
        }
        try await directory.run { directory in
            try directory.changeHeaders(of: account) { stored in
                SwiftMetadata.changed(stored, by: fields, prefix: Self.metadataPrefix, removal: Self.removalPrefix)
            }
        }
        try await request.response.sendEmpty(.noContent, headers: request.headers())
    }

    private func list(_ request: SwiftRequest, _ account: ObjectAccount) async throws {
        let query = try SwiftListQuery(request.head)
        let found = try await directory.run { directory in
            try directory.containers(
                of: account.id, prefix: query.prefix, after: query.marker, countMax: query.limit)
        }
        let containers = found.filter {
            query.endMarker.isEmpty || $0.name.utf8.lexicographicallyPrecedes(query.endMarker.utf8)
        }
        let rows = containers.map { container in
            SwiftListRow.container(
                name: container.name, count: container.objects, bytes: container.bytes,
                modified: container.created.multipliedSaturated(by: 1_000))
        }
        let headers = headers(of: account, request)
        try await SwiftListing(rows: rows, element: "account", name: "\(SwiftRoutes.accountPrefix)\(account.name)")
            .send(query.format, request, headers: headers)
    }
}

/// Metadata in headers.
enum SwiftMetadata {
    /// Returns stored headers, changed by the headers of a request. To remove a header, a request contains the header
    /// with an empty value, or another header whose name has the prefix for removals.
    static func changed(
        _ stored: [String: String], by fields: HTTPFields, prefix: String, removal: String, others: [String] = []
    ) -> [String: String] {
        var headers = stored
        for (name, value) in fields.withPrefix(prefix) { headers[prefix + name] = value.isEmpty ? nil : value }
        for name in fields.withPrefix(removal).keys { headers[prefix + name] = nil }
        for name in others {
            guard let value = HTTPField.Name(name).flatMap({ fields[$0] }) else { continue }
            headers[name] = value.isEmpty ? nil : value
        }
        return headers
    }
}
