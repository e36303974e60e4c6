//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import GodwitViews
import HTTPTypes

/// The routes of rewrites. The rules or the function of a design document replace the path of a request by another
/// path. The rewritten request is handled like any other request, with the rights that its route requires.
struct RewriteRoutes {
    let server: ServerContext

    var routes: [Route] {
        ["/{db}/_design/{design}/_rewrite", "/{db}/_design/{design}/_rewrite/{path...}"].flatMap { path in
            [
                .rewriting(.get, path, access: .database(.read), handler: rewrite),
                .rewriting(.post, path, access: .database(.read), posts: .any, handler: rewrite),
                .rewriting(.put, path, access: .database(.read), handler: rewrite),
                .rewriting(.delete, path, access: .database(.read), handler: rewrite),
                .rewriting(.patch, path, access: .database(.read), handler: rewrite),
                .rewriting(.copy, path, access: .database(.read), handler: rewrite),
            ]
        }
    }

    @Sendable private func rewrite(_ context: RequestContext) async throws -> Answer {
        let database = try await context.database()
        let functions = try database.functions(context.request)
        switch functions.members["rewrites"] {
        case .array(let rules): return .rewritten(try follow(try RewriteRules(rules), context.request))
        case .string: return try await call(functions, context.request, database, context.response)
        default: throw HTTPFailure.invalidRewritePath
        }
    }

    // MARK: Rules

    private func follow(_ rules: RewriteRules, _ request: ServerRequest) throws -> RewrittenRequest {
        let path = Array(request.target.segments.dropFirst(4))
        guard let destination = try rules.destination(request.head.method.rawValue, path, request.target.query) else {
            throw HTTPFailure.missing
        }
        let target = try RewriteRoutes.target(
            destination.path.map { $0.percentEncoded(keeping: nil) }, destination.query, from: request)
        return try RewrittenRequest(request, to: target)
    }

    // MARK: Functions

    private func call(
        _ functions: DesignFunctions, _ request: ServerRequest, _ database: OpenDatabase, _ response: ServerResponse
    ) async throws -> Answer {
        let functionRequest = try await FunctionRequest(reading: request, database: database, limits: server.limits)
        let answer = try await functions.call("rewrite", [try await server.functionRequest(functionRequest)])
        guard answer.tape.kind(answer.index) != .null else { throw HTTPFailure.invalidRewritePath }
        guard let members = try answer.tape.value(answer.index).objectValue else { throw HTTPFailure.badRewrite }
        if members["code"] != nil {
            let responseMembers = members.filter { ["code", "headers", "body"].contains($0.0) }
            try await FunctionResponse(.object(JSONObject(responseMembers))).send(to: response)
            return .sent
        }
        return .rewritten(try RewriteRoutes.rewritten(functionRequest, members))
    }

    private static func rewritten(_ functionRequest: FunctionRequest, _ members: JSONObject) throws -> RewrittenRequest
    {
        let request = functionRequest.request
        guard let path = members["path"]?.stringValue else {
            throw HTTPFailure(
                .internalServerError, "rewrite_error", "Rewrite result must produce a new path.")
        }
        let pathAndQuery = path.utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        var query =
            try pathAndQuery.count == 2
            ? RequestTarget(form: Array(pathAndQuery[1])).query : request.target.query
        if let queryValue = members["query"] {
            guard let queryValue = queryValue.objectValue else { throw HTTPFailure.badRewrite }
            query = queryValue.map { ($0.0, $0.1.stringValue ?? $0.1.jsonText()) }
        }
        let segments = pathAndQuery[0].split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        var rewritten = try RewrittenRequest(request, to: try target(segments, query, from: request))
        if let methodValue = members["method"] {
            guard let method = methodValue.stringValue.flatMap({ HTTPRequest.Method($0) }) else {
                throw HTTPFailure.badRewrite
            }
            rewritten.method = method
        }
        let fields = members["headers"]?.objectValue ?? [:]
        guard fields.count <= ServerLimits.functionHeadersMax else { throw HTTPFailure.badRewrite }
        for (field, value) in fields {
            guard let name = HTTPField.Name(field), let value = value.stringValue else { throw HTTPFailure.badRewrite }
            guard FunctionHeaders.permitInRequest(name) else { continue }
            rewritten.headers[name] = value
        }
        if let bodyValue = members["body"] {
            guard let text = bodyValue.stringValue else { throw HTTPFailure.badRewrite }
            rewritten.replaceBody(with: Array(text.utf8))
        } else {
            rewritten.replaceBody(with: functionRequest.body ?? [])
        }
        return rewritten
    }

    // MARK: Paths

    /// Resolves a path relative to the design document.
    ///
    /// - Parameter segments: Percent-encoded segments. `..` is one level up.
    /// - Throws: ``HTTPFailure`` when the path leaves the database.
    private static func target(
        _ segments: [String], _ query: [(name: String, value: String)], from request: ServerRequest
    ) throws(HTTPFailure) -> String {
        let database = request.parameter("db").percentEncoded
        var path = [database, "_design", request.parameter("design").percentEncoded]
        for segment in segments where segment != "." {
            if segment != ".." {
                path.append(segment)
            } else if path.popLast() == nil {
                throw .insecureRewrite
            }
        }
        guard path.first?.isIdenticalText(to: database) == true else { throw .insecureRewrite }
        let parameters = query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
        return "/" + path.joined(separator: "/") + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }
}

extension HTTPFailure {
    fileprivate static let invalidRewritePath = HTTPFailure(.notFound, "rewrite_error", "Invalid path.")
    fileprivate static let badRewrite = HTTPFailure(.internalServerError, "rewrite_error", "bad rewrite")
}
