//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The routes of OpenStack Identity v3 that clients of Swift need. With a name and a secret key, clients get tokens.
///
/// Each account has one user and one project. The names and the ids of both are the name of the account. The domain is
/// always `Default`.
struct KeystoneRoutes {
    let directory: ObjectDirectory

    private static let bodyBytesMax = 16 << 10
    private static let domain: JSONValue = ["id": "default", "name": "Default"]
    private static let subjectToken = "X-Subject-Token"

    var routes: [Route] {
        [
            Route(.get, "/v3", access: .login, work: .light, handler: version),
            Route(
                .post, "/v3/auth/tokens", access: .login, condition: "name and secret key", posts: .any,
                handler: authenticate),
            Route(.get, "/v3/auth/tokens", access: .login, condition: "a token", work: .light, handler: validate),
            Route(.delete, "/v3/auth/tokens", access: .login, condition: "a token", work: .light, handler: revoke),
            Route(.get, "/v3/auth/catalog", access: .login, condition: "a token", work: .light, handler: catalog),
            Route(.get, "/v3/{path...}", access: .login, work: .light, handler: absent),
        ]
    }

    @Sendable private func version(_ context: RequestContext) async throws {
        let url = try base(context) + "/v3/"
        try await send(
            [
                "version": [
                    "id": "v3.14", "status": "stable", "updated": "2020-04-07T00:00:00Z",
                    "links": [["rel": "self", "href": .string(url)]],
                    "media-types": [
                        ["base": "application/json", "type": "application/vnd.openstack.identity-v3+json"]
                    ],
                ]
            ], context)
    }

    @Sendable private func absent(_ context: RequestContext) async throws {
        throw HTTPFailure(.notFound, "Not Found", "The storage has no such resource of the identity service.")
    }

    // MARK: Tokens

    @Sendable private func authenticate(_ context: RequestContext) async throws {
        try WriteCondition.refuse(in: context.request)
        let body = try await context.request.collectBody(bytesMax: Self.bodyBytesMax)
        let request = try KeystoneLogin(body)
        let token = try await directory.run { directory -> KeystoneToken? in
            let account = try directory.account(named: request.name)
            guard request.isOfProject(of: account), request.isSecret(of: account), let account else { return nil }
            return try KeystoneToken(for: account, in: directory)
        }
        guard let token else { throw Self.unauthorized }
        try await send(
            ["token": .object(try description(of: token, context))], context, status: .created, token: token.text)
    }

    /// The error for an unknown name, and also for a wrong secret key. The response does not reveal which of the two is
    /// wrong.
    private static let unauthorized = HTTPFailure(
        .unauthorized, "Unauthorized", "The request you have made requires authentication: wrong name or secret key.")

    @Sendable private func validate(_ context: RequestContext) async throws {
        let token = try await subject(context)
        try await send(["token": .object(try description(of: token, context))], context, token: token.text)
    }

    @Sendable private func revoke(_ context: RequestContext) async throws {
        try WriteCondition.refuse(in: context.request)
        let token = try await subject(context)
        try await directory.run { try token.revoke(in: $0) }
        try await context.response.sendEmpty(.noContent)
    }

    @Sendable private func catalog(_ context: RequestContext) async throws {
        let token = try await ownToken(context)
        try await send(["catalog": try services(of: token.account, context), "links": [:]], context)
    }

    /// Returns the token that the request is about, from the header `X-Subject-Token`. The token in the header
    /// `X-Auth-Token` authorizes the request, and must belong to the same account.
    private func subject(_ context: RequestContext) async throws -> KeystoneToken {
        let own = try await ownToken(context)
        guard let text = context.request.header(Self.subjectToken) else {
            throw HTTPFailure(.badRequest, "Bad Request", "The header X-Subject-Token is missing.")
        }
        guard let token = try await directory.run({ try KeystoneToken(text, in: $0) }),
            token.account.id == own.account.id
        else { throw HTTPFailure(.notFound, "Not Found", "The token in X-Subject-Token is not valid.") }
        return token
    }

    private func ownToken(_ context: RequestContext) async throws -> KeystoneToken {
        let text = context.request.header("X-Auth-Token") ?? ""
        guard let token = try await directory.run({ try KeystoneToken(text, in: $0) }) else { throw Self.unauthorized }
        return token
    }

    // MARK: Answers

    private func base(_ context: RequestContext) throws -> String {
        "\(context.request.isSecure ? "https" : "http")://\(try context.request.host)"
    }

    private func description(of token: KeystoneToken, _ context: RequestContext) throws -> JSONObject {
        let owner: JSONValue = [
            "id": .string(token.account.name), "name": .string(token.account.name), "domain": Self.domain,
        ]
        return [
            "methods": ["password"], "user": owner, "project": owner, "is_domain": false,
            "roles": [["id": "member", "name": "member"]],
            "issued_at": .string(ObjectTime.token(seconds: token.issued)),
            "expires_at": .string(ObjectTime.token(seconds: token.expires)),
            "audit_ids": [], "catalog": try services(of: token.account, context),
        ]
    }

    private func services(of account: ObjectAccount, _ context: RequestContext) throws -> JSONValue {
        let base = try base(context)
        return [
            Self.service("object-store", "swift", "\(base)/v1/\(SwiftRoutes.accountPrefix)\(account.name)"),
            Self.service("identity", "keystone", "\(base)/v3"),
        ]
    }

    private static func service(_ type: String, _ name: String, _ url: String) -> JSONValue {
        let endpoints = ["public", "internal", "admin"].map { interface -> JSONValue in
            [
                "id": .string("\(name)-\(interface)"), "interface": .string(interface), "region": "us-east-1",
                "region_id": "us-east-1", "url": .string(url),
            ]
        }
        return ["id": .string(name), "type": .string(type), "name": .string(name), "endpoints": .array(endpoints)]
    }

    private func send(
        _ answer: JSONObject, _ context: RequestContext, status: HTTPResponse.Status = .ok, token: String? = nil
    ) async throws {
        var headers: HTTPFields = [.cacheControl: "no-store", .vary: "X-Auth-Token"]
        if let token { headers.set(Self.subjectToken, token) }
        try await context.response.sendJSON(status, headers: headers, body: JSONValue.object(answer).jsonBytes())
    }
}

/// The body of a request for a token.
struct KeystoneLogin: Sendable {
    let name: String
    private let secret: String
    /// The name or the id of the project; `nil` if the request has no scope.
    private let project: String?

    /// Reads the body.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 if the login uses another method than `password`, or 400 if a member
    ///   is missing.
    init(_ body: [UInt8]) throws(HTTPFailure) {
        let auth = (try? JSONValue(parsing: body))?["auth"]
        let identity = auth?["identity"]
        let methods = identity?["methods"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard methods.isEmpty || methods.contains("password") else {
            throw HTTPFailure(.unauthorized, "Unauthorized", "Attempted to authenticate with an unsupported method.")
        }
        let user = identity?["password"]?["user"]
        guard let name = user?["name"]?.stringValue ?? user?["id"]?.stringValue,
            let secret = user?["password"]?.stringValue
        else {
            throw HTTPFailure(
                .badRequest, "Bad Request",
                "The body needs auth.identity with the method password, and a user with name or id, and password.")
        }
        self.name = name
        self.secret = secret
        let project = auth?["scope"]?["project"]
        self.project = project?["name"]?.stringValue ?? project?["id"]?.stringValue
    }

    /// Whether the request is for the project of an account. A request without a scope is for the project of its
    /// account.
    func isOfProject(of account: ObjectAccount?) -> Bool {
        project.map { name in account?.name.isIdenticalText(to: name) ?? false } ?? true
    }

    /// Whether the password is the secret key of an account. The check takes the same time if the account is unknown.
    func isSecret(of account: ObjectAccount?) -> Bool {
        let key = SymmetricKey(size: .bits256)
        let expected = HMAC<SHA256>.authenticationCode(for: Array((account?.secretKey ?? "").utf8), using: key)
        let isEqual = HMAC<SHA256>.isValidAuthenticationCode(
            Array(expected), authenticating: Array(secret.utf8), using: key)
        return isEqual && account != nil
    }
}

/// The errors of the identity service.
enum KeystoneFailure {
    static let form = FailureForm { failure, _, _ in
        let body: JSONValue = [
            "error": [
                "code": .integer(Int64(failure.status.code)), "message": .string(failure.reason),
                "title": .string(failure.status.reasonPhrase),
            ]
        ]
        var headers: HTTPFields = [:]
        if failure.status == .unauthorized { headers[.wwwAuthenticate] = "Keystone uri=\"/v3\"" }
        return FailureForm.Rendered(
            status: failure.status, contentType: "application/json", headers: headers, body: body.jsonBytes())
    }
}
