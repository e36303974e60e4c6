//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The routes of S3's API.
struct S3Routes {
    let directory: ObjectDirectory
    let options: S3Options
    let mount: S3Mount

    var routes: [Route] {
        // The path is not read from the parameters, because names may have slashes anywhere.
        let paths =
            mount.base.isEmpty
            ? ["/", "/{path...}"] : [mount.base, "\(mount.base)/{bucket}", "\(mount.base)/{bucket}/{key...}"]
        let methods: [HTTPRequest.Method] = [.get, .head, .put, .post, .delete]
        return paths.flatMap { path in
            methods.map {
                Route($0, path, access: .login, condition: "a signature", posts: .any, handler: handle)
            }
        } + paths.map { Route(.options, $0, access: .login, work: .light, handler: preflight) }
    }

    private var authenticator: S3Authenticator {
        S3Authenticator(directory: directory, acceptsVersion2: options.acceptsVersion2)
    }

    @Sendable private func handle(_ context: RequestContext) async throws {
        do {
            try await answer(context)
        } catch let error as ObjectError {
            throw S3Failure.failure(of: error)
        } catch is InvalidPath {
            throw HTTPFailure(.badRequest, "InvalidURI", "Couldn't parse the specified URI.")
        } catch is XMLError {
            throw S3Failure.malformedXML
        }
    }

    private func answer(_ context: RequestContext) async throws {
        let target = try S3Target(context.request, at: mount)
        if context.request.head.method == .post, let bucket = target.bucket, target.key == nil,
            let boundary = S3Form.boundary(context.request)
        {
            try WriteCondition.refuse(in: context.request, error: "NotImplemented")
            let form = S3Form(directory: directory, base: mount.base)
            return try await form.receive(context, bucket: bucket, boundary: boundary)
        }
        let identity = try await authenticator.identify(context.request, target)
        let request = try S3Request(context, target, identity)
        if request.isWriting, !S3ObjectRoutes.evaluatesCondition(of: request) {
            try WriteCondition.refuse(in: context.request, error: "NotImplemented")
        }
        guard let bucket = request.bucket else {
            guard request.method == .get else { throw S3Request.methodNotAllowed }
            return try await S3BucketRoutes(directory: directory).listBuckets(request)
        }
        let container = try await directory.run { try $0.container(bucket, of: identity.account.id) }
        if let container { addCrossOriginHeaders(container, context) }
        if request.key == nil {
            try await S3BucketRoutes(directory: directory).handle(request, bucket, container)
        } else {
            guard let container else { throw ObjectError.missing(container: bucket) }
            try await S3ObjectRoutes(directory: directory).handle(request, container)
        }
    }

    private func addCrossOriginHeaders(_ container: ObjectContainer, _ context: RequestContext) {
        guard let origin = context.request.header(.origin), let rules = S3CrossOrigin(of: container) else { return }
        context.response.add(rules.headers(origin: origin, method: context.request.head.method.rawValue))
    }

    /// Answers the preflight request of a page of another origin. The request has no signature, so its account is
    /// unknown. Therefore the rules of all buckets with this name are checked, in all accounts.
    @Sendable private func preflight(_ context: RequestContext) async throws {
        let target = try? S3Target(context.request, at: mount)
        guard let bucket = target?.bucket, let origin = context.request.header(.origin),
            let method = context.request.header("Access-Control-Request-Method")
        else { throw HTTPFailure(.badRequest, "BadRequest", "Insufficient information. Origin request header needed.") }
        let wanted = (context.request.header("Access-Control-Request-Headers") ?? "").lowercasedASCII
            .commaSeparatedItems
        let containers = try await directory.run { try $0.containers(named: bucket) }
        for rules in containers.compactMap({ S3CrossOrigin(of: $0) }) {
            let headers = rules.headers(origin: origin, method: method, wanted: wanted)
            if !headers.isEmpty { return try await context.response.sendEmpty(.ok, headers: headers) }
        }
        throw HTTPFailure(.forbidden, "AccessForbidden", "CORSResponse: This CORS request is not allowed.")
    }
}

/// A request of S3's API whose client is known.
struct S3Request {
    let context: RequestContext
    let identity: S3Identity
    let bucket: String?
    let key: String?

    var head: ServerRequest { context.request }
    var response: ServerResponse { context.response }
    var method: HTTPRequest.Method { context.request.head.method }
    var account: ObjectAccount { identity.account }
    /// Whether the method may change something.
    var isWriting: Bool { method != .get && method != .head }

    private static let bodyBytesMax = 2 << 20
    private static let keyBytesMax = ObjectNames.objectBytesMax

    init(_ context: RequestContext, _ target: S3Target, _ identity: S3Identity) throws {
        self.context = context
        self.identity = identity
        bucket = target.bucket
        key = target.key
        if let bucket, !ObjectNames.isContainer(bucket) {
            throw HTTPFailure(.badRequest, "InvalidBucketName", "The specified bucket is not valid.")
        }
        if let key { try S3Request.check(key: key) }
        try S3ObjectHeaders.checkFeatures(context.request)
        try S3ObjectHeaders.checkOwner(identity.account) { context.request.header($0) }
    }

    static func check(key: String) throws {
        guard key.utf8.count <= keyBytesMax else {
            throw HTTPFailure(.badRequest, "KeyTooLongError", "Your key is too long.")
        }
        guard ObjectNames.isObject(key) else {
            throw HTTPFailure(
                .badRequest, "InvalidArgument", "The key contains NUL, or a part . or .. between slashes.")
        }
    }

    static let methodNotAllowed = HTTPFailure(
        .methodNotAllowed, "MethodNotAllowed", "The specified method is not allowed against this resource.")

    /// Returns the headers of every response.
    func headers(_ more: HTTPFields = [:]) -> HTTPFields {
        var headers = more
        headers.set("x-amz-request-id", response.requestID)
        return headers
    }

    /// Reads the body as XML. If the signature contains a digest of the body, or the request has the header
    /// `Content-MD5` or a checksum, checks that the body has this digest.
    ///
    /// - Parameter hasChecksum: Whether a checksum in the headers is that of the body.
    func readXML(hasChecksum: Bool = true) async throws -> XMLElement {
        let bytes = try await head.collectBody(bytesMax: S3Request.bodyBytesMax)
        try checkDigest(SignatureV4.digest(of: bytes))
        if let md5 = try expectedMD5, md5 != MessageDigest.Algorithm.md5.digest(of: bytes) {
            throw ObjectError(.badDigest, "The Content-MD5 you specified did not match what we received.")
        }
        if hasChecksum { try checkChecksums(of: bytes) }
        return try XMLReader.read(bytes)
    }

    private func checkChecksums(of bytes: [UInt8]) throws {
        for algorithm in Set(try Checksum.algorithms(inHeadersOf: head)) {
            var checksum = Checksum(algorithm)
            checksum.update(bytes)
            guard head.header(algorithm.header)?.isIdenticalText(to: checksum.text) ?? false else {
                throw ObjectError(
                    .badDigest, "The \(algorithm.rawValue) you specified did not match what we received.")
            }
        }
    }

    /// Throws an error if a digest was signed and the body has another digest.
    func checkDigest(_ digest: String) throws {
        guard identity.payloadHash.utf8.count == 64, !identity.payloadHash.lowercased().isIdenticalText(to: digest)
        else { return }
        throw HTTPFailure(
            .badRequest, "XAmzContentSHA256Mismatch",
            "The provided 'x-amz-content-sha256' header does not match what was computed.")
    }

    /// The MD5 in the header `Content-MD5`; `nil` if the request does not have this header.
    var expectedMD5: [UInt8]? {
        get throws {
            guard let text = head.header("Content-MD5") else { return nil }
            guard let md5 = Base64.decode(text.utf8), md5.count == 16 else {
                throw HTTPFailure(.badRequest, "InvalidDigest", "The Content-MD5 you specified is not valid.")
            }
            return md5
        }
    }

    /// Sends XML.
    func send(_ writer: XMLWriter, headers: HTTPFields = [:]) async throws {
        try await response.send(contentType: "application/xml", headers: self.headers(headers), body: writer.bytes)
    }

    /// Sends a response without a body.
    func sendEmpty(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) async throws {
        try await response.sendEmpty(status, headers: self.headers(headers))
    }

    /// Returns the value of a numeric parameter, at most `max`; `max` if the parameter is missing.
    func number(_ name: String, max: Int) throws -> Int {
        guard let text = head.query(name) else { return max }
        guard let number = Int(text), number >= 0 else {
            throw S3Failure.invalid("\(name) must be a number from 0 on.")
        }
        return min(number, max)
    }
}

extension XMLWriter {
    /// The namespace of S3's documents.
    static let space: [(name: String, value: String)] = [("xmlns", "http://s3.amazonaws.com/doc/2006-03-01/")]
}
