//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The routes of OpenStack Swift's API, version 1.
struct SwiftRoutes {
    /// The beginning of an account's name in paths.
    static let accountPrefix = "AUTH_"

    let directory: ObjectDirectory

    var routes: [Route] {
        let paths = ["/v1/{account}", "/v1/{account}/{container}", "/v1/{account}/{container}/{object...}"]
        let methods: [HTTPRequest.Method] = [.get, .head, .put, .post, .delete]
        let condition = "a token or a right of the storage, or an administrator of the server"
        return paths.flatMap { path in
            methods.map { Route($0, path, access: .login, condition: condition, posts: .any, handler: handle) }
        } + [
            Route(
                HTTPRequest.Method("COPY")!, paths[2], access: .login, condition: condition, handler: handle),
            Route(.options, paths[1], access: .login, work: .light, handler: allow),
            Route(.options, paths[2], access: .login, work: .light, handler: allow),
        ]
    }

    @Sendable private func handle(_ context: RequestContext) async throws {
        do {
            let request = try SwiftRequest(context)
            try request.checkCondition()
            if request.head.hasQuery("bulk-delete"), request.method == .post || request.method == .delete {
                return try await SwiftBulkDelete(directory: directory).handle(request)
            }
            switch (request.container, request.object) {
            case (nil, _): try await SwiftAccountRoutes(directory: directory).handle(request)
            case (.some(let container), nil):
                try await SwiftContainerRoutes(directory: directory).handle(request, container)
            case (.some(let container), .some(let object)):
                try await SwiftObjectRoutes(directory: directory).handle(request, container, object)
            }
        } catch let error as ObjectError {
            throw SwiftFailure.failure(of: error)
        } catch is InvalidPath {
            throw HTTPFailure(.preconditionFailed, "Bad URL", "Invalid UTF8 or contains NULL")
        }
    }

    /// Responds to an OPTIONS request with the supported methods. They are always the same: the container is not read.
    @Sendable private func allow(_ context: RequestContext) async throws {
        try await context.response.sendEmpty(.ok, headers: [.allow: "HEAD, GET, PUT, POST, OPTIONS, DELETE, COPY"])
    }
}

/// A request of Swift's API.
struct SwiftRequest {
    let context: RequestContext
    let path: ObjectPath
    /// The account's name without its prefix.
    let account: String
    let container: String?
    let object: String?

    var head: ServerRequest { context.request }
    var response: ServerResponse { context.response }
    var method: HTTPRequest.Method { context.request.head.method }

    /// The parameters and headers of features that are not supported. If they were ignored, the request would do
    /// something else: store an archive as an object, delete the object instead of one of its versions, or keep no
    /// versions.
    private static let absentParameters = ["extract-archive", "version-id", "versions"]
    private static let absentHeaders = [
        "X-Versions-Location", "X-History-Location", "X-Versions-Enabled", "X-Symlink-Target", "X-Container-Sync-To",
        "X-Container-Sync-Key", "X-Account-Access-Control", "Content-Range",
    ]
    /// The headers that are accepted with one value only, which is what happens without the header.
    private static func onlyValues(of account: String) -> [String: String] {
        [
            "X-Storage-Policy": "Policy-0", "Destination-Account": SwiftRoutes.accountPrefix + account,
            "X-Copy-From-Account": SwiftRoutes.accountPrefix + account,
        ]
    }

    private static func checkFeatures(_ request: ServerRequest, of account: String) throws(HTTPFailure) {
        let other = onlyValues(of: account).first { name, value in
            request.header(name).map { !$0.isIdenticalText(to: value) } ?? false
        }
        let absent =
            absentParameters.first { request.hasQuery($0) } ?? absentHeaders.first { request.header($0) != nil }
            ?? other.map { "\($0.key) other than \($0.value)" }
        guard let absent else { return }
        throw HTTPFailure(.notImplemented, "Not Implemented", "\(absent) is not supported.")
    }

    /// Throws if the request contains a condition and changes something else than the object of its path.
    func checkCondition() throws(HTTPFailure) {
        let isReading = method == .get || method == .head
        guard !isReading, object == nil || head.hasQuery("bulk-delete") else { return }
        try WriteCondition.refuse(in: head)
    }

    /// Whether the value of a header means true, by the rules of OpenStack Swift.
    static func isTrue(_ value: String) -> Bool {
        ["true", "1", "yes", "on", "t", "y"].contains(value.lowercasedASCII)
    }

    /// Reads the path.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 for an account without the prefix; ``InvalidPath``.
    init(_ context: RequestContext) throws {
        self.context = context
        path = try ObjectPath(context.request, skipping: 1, parts: 3)
        guard let account = path[0], account.begins(with: SwiftRoutes.accountPrefix) else {
            throw HTTPFailure(.notFound, "Not Found", "The resource could not be found.")
        }
        self.account = String(Substring(account.utf8.dropFirst(SwiftRoutes.accountPrefix.utf8.count)))
        container = path[1]
        object = path[2]
        try SwiftRequest.checkFeatures(context.request, of: self.account)
        if let container, !ObjectNames.isContainer(container) {
            throw HTTPFailure(.preconditionFailed, "Bad URL", "The name of the container is not valid.")
        }
        if let object, !ObjectNames.isObject(object) {
            throw HTTPFailure(.preconditionFailed, "Bad URL", "The name of the object is not valid.")
        }
    }

    /// Returns the headers of every response about the account's resources.
    func headers(_ more: HTTPFields = [:]) -> HTTPFields {
        var headers = more
        headers.set("X-Trans-Id", response.requestID)
        headers.set("X-Openstack-Request-Id", response.requestID)
        return headers
    }
}

/// The errors of Swift's API: short pages of HTML.
enum SwiftFailure {
    static let form = FailureForm { failure, path, requestID in
        let text =
            "<html><h1>\(failure.status.reasonPhrase.markupEscaped)</h1><p>\(failure.reason.markupEscaped)</p></html>"
        var headers: HTTPFields = [:]
        headers.set("X-Trans-Id", requestID)
        headers.set("X-Openstack-Request-Id", requestID)
        if failure.status == .unauthorized {
            let account = path.utf8.split(separator: UInt8(ascii: "/")).dropFirst().first.map { Array($0) }
            headers.set("Www-Authenticate", "Swift realm=\"\(account.map(realm) ?? "unknown")\"")
        }
        return FailureForm.Rendered(
            status: failure.status, contentType: "text/html; charset=UTF-8", headers: headers, body: Array(text.utf8))
    }

    /// Returns the ASCII letters, the digits, `_` and `-` of an account's name.
    private static func realm(of account: [UInt8]) -> String {
        let bytes = account.filter { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func failure(of error: ObjectError) -> HTTPFailure {
        switch error.code {
        case .containerNotFound, .objectNotFound, .accountNotFound: HTTPFailure(.notFound, "Not Found", error.message)
        case .containerNotEmpty: HTTPFailure(.conflict, "Conflict", error.message)
        case .invalidName: HTTPFailure(.preconditionFailed, "Bad URL", error.message)
        case .invalidRequest, .invalidPart, .tooSmall: HTTPFailure(.badRequest, "Bad Request", error.message)
        case .quotaExceeded, .tooLarge: HTTPFailure(.contentTooLarge, "Request Entity Too Large", error.message)
        case .badDigest: HTTPFailure(.unprocessableContent, "Unprocessable Entity", error.message)
        case .preconditionFailed: HTTPFailure(.preconditionFailed, "Precondition Failed", error.message)
        case .rangeNotSatisfiable: HTTPFailure(.rangeNotSatisfiable, "Requested Range Not Satisfiable", error.message)
        case .accessDenied: HTTPFailure(.forbidden, "Forbidden", error.message)
        case .diskFull:
            HTTPFailure(.init(code: 507, reasonPhrase: "Insufficient Storage"), "Insufficient Storage", error.message)
        case .closed, .overloaded: HTTPFailure(.serviceUnavailable, "Service Unavailable", error.message)
        case .corrupt: HTTPFailure(.internalServerError, "Internal Server Error", error.message)
        default: HTTPFailure(.internalServerError, "Internal Server Error", "The request failed; see the server's log.")
        }
    }
}
