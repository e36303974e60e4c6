//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The routes with which administrators of the server manage accounts of the storage.
struct AdministrationRoutes {
    let directory: ObjectDirectory

    private static let bodyBytesMax = 16 << 10
    private static let path = "/_godwit/objects"

    var routes: [Route] {
        let path = "\(Self.path)/{account}"
        return [
            Route(.get, Self.path, access: .administrator, handler: list),
            Route(.get, path, access: .administrator, work: .light, handler: show),
            Route(.put, path, access: .administrator, audit: "storage account added", handler: add),
            Route(.post, path, access: .administrator, audit: "storage account changed", handler: change),
            Route(.delete, path, access: .administrator, audit: "storage account removed", handler: remove),
            Route(
                .post, "\(path)/key", access: .administrator, posts: .jsonIfAny, audit: "storage key replaced",
                handler: renewKeys),
        ]
    }

    @Sendable private func list(_ context: RequestContext) async throws {
        let after = context.request.query("after") ?? ""
        let limit = context.request.query("limit").flatMap { Int($0) } ?? ObjectLimits.pageCountMax
        let accounts = try await perform { directory in
            try directory.accounts(after: after, countMax: min(max(limit, 0), ObjectLimits.pageCountMax))
        }
        try await send(["accounts": .array(accounts.map { .object(Self.description(of: $0)) })], context)
    }

    @Sendable private func show(_ context: RequestContext) async throws {
        let name = context.request.parameter("account")
        let account = try await perform { try $0.existingAccount(named: name) }
        try await send(Self.description(of: account), context)
    }

    @Sendable private func add(_ context: RequestContext) async throws {
        try WriteCondition.refuse(in: context.request, error: "not_implemented")
        let name = context.request.parameter("account")
        let quota = try await quota(context)
        let account = try await perform { try $0.addAccount(named: name, quota: quota) }
        try await send(Self.keys(of: account), context, status: .created)
    }

    @Sendable private func change(_ context: RequestContext) async throws {
        try WriteCondition.refuse(in: context.request, error: "not_implemented")
        let name = context.request.parameter("account")
        let quota = try await quota(context)
        let account = try await perform { directory in
            try directory.setQuota(quota, of: try directory.existingAccount(named: name).id)
            return try directory.existingAccount(named: name)
        }
        try await send(Self.description(of: account), context)
    }

    @Sendable private func remove(_ context: RequestContext) async throws {
        try WriteCondition.refuse(in: context.request, error: "not_implemented")
        let name = context.request.parameter("account")
        try await perform { try $0.removeAccount(named: name) }
        try await send(["ok": true], context)
    }

    @Sendable private func renewKeys(_ context: RequestContext) async throws {
        try WriteCondition.refuse(in: context.request, error: "not_implemented")
        let name = context.request.parameter("account")
        let account = try await perform { try $0.renewKeys(ofAccount: name) }
        try await send(Self.keys(of: account), context)
    }

    /// Returns the quota in the body; `nil` for no limit. There is also no limit if the body is empty or does not
    /// contain the member.
    private func quota(_ context: RequestContext) async throws -> Int? {
        let bytes = try await context.request.collectBody(bytesMax: Self.bodyBytesMax)
        guard !bytes.isEmpty else { return nil }
        guard let members = try JSONValue(parsing: bytes).objectValue else {
            throw HTTPFailure(.badRequest, "bad_request", "The body must be an object with the member quota.")
        }
        switch members["quota"] {
        case nil, .null: return nil
        case .integer(let quota)? where quota >= 0: return Int(quota)
        default:
            throw HTTPFailure(.badRequest, "bad_request", "quota must be a number of bytes, or null for no limit.")
        }
    }

    private static func description(of account: ObjectAccount) -> JSONObject {
        [
            "name": .string(account.name), "access_key": .string(account.accessKey),
            "created": .integer(Int64(account.created)),
            "quota": account.quota.map { .integer(Int64($0)) } ?? .null, "bytes": .integer(Int64(account.bytes)),
            "objects": .integer(Int64(account.objects)), "containers": .integer(Int64(account.containers)),
        ]
    }

    private static func keys(of account: ObjectAccount) -> JSONObject {
        [
            "name": .string(account.name), "access_key": .string(account.accessKey),
            "secret_key": .string(account.secretKey),
        ]
    }

    private func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ObjectDirectory) throws -> Result
    ) async throws -> Result {
        do {
            return try await directory.run(body)
        } catch {
            throw Self.failure(of: error)
        }
    }

    private static func failure(of error: ObjectError) -> HTTPFailure {
        switch error.code {
        case .accountNotFound: HTTPFailure(.notFound, "not_found", error.message)
        case .accountExists, .accountNotEmpty: HTTPFailure(.conflict, "conflict", error.message)
        case .invalidName, .invalidRequest: HTTPFailure(.badRequest, "bad_request", error.message)
        case .diskFull: HTTPFailure(.init(code: 507), "insufficient_storage", error.message)
        default: HTTPFailure(error)
        }
    }

    private func send(
        _ answer: JSONObject, _ context: RequestContext, status: HTTPResponse.Status = .ok
    ) async throws {
        try await context.response.sendJSON(
            status, headers: [.cacheControl: "no-store"],
            body: JSONValue.object(answer).jsonBytes() + [UInt8(ascii: "\n")])
    }
}
