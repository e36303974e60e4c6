//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
public import HTTPTypes
package import HummingbirdCore
package import NIOCore
import NIOHTTP1

/// A part of a path that matched a parameter of a route's pattern.
public struct PathParameter: Equatable, Sendable {
    /// The name in the pattern.
    public let name: String
    /// The matched text, decoded.
    public let value: String
}

/// A received request: its head, the parameters of its path, and its body.
public struct ServerRequest: Sendable {
    /// The request line and headers.
    public let head: HTTPRequest
    /// The path and query.
    public let target: RequestTarget
    /// The target that the client requested, if a rewrite of a design document changed it; otherwise `nil`.
    var requested: RequestTarget?
    /// The parts of the path that matched parameters of the route's pattern.
    public internal(set) var parameters: [PathParameter] = []
    /// The client's IP address without the port; empty when the connection has no IP address, and when the connection
    /// has ended.
    public var peerAddress: String { channel.remoteAddress?.ipAddress ?? "" }

    /// The port on which this server accepted the connection; `nil` without a socket.
    package var localPort: Int? { channel.localAddress?.port }

    /// Whether the client uses HTTPS. The client may use HTTPS for the connection to this server, or for the connection
    /// to a proxy, which reports this in the header `X-Forwarded-Proto`. The result is not a proof, because a client
    /// can also send this header.
    public var isSecure: Bool { head.scheme == "https" || header(.forwardedProtocol)?.lowercased() == "https" }

    /// The host name by which the client addresses this server, with the port if the client names one.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the request names no valid host.
    public var host: String {
        get throws(HTTPFailure) {
            let host = head.authority ?? ""
            guard Self.isPlainHost(host) else { throw .badRequest("The request has no valid host name.") }
            return host
        }
    }

    /// Returns the URL of a path of this server for the client. The host comes from the header `X-Forwarded-Host`. If
    /// that header is missing, the host comes from the request. If the host is invalid, the result is the path alone.
    public func url(_ path: String) -> String {
        let host = header(.forwardedHost) ?? head.authority ?? ""
        return Self.isPlainHost(host) ? "\(isSecure ? "https" : "http")://\(host)\(path)" : path
    }

    /// Whether a text contains only characters that a host and a port can have. Such a text is safe in headers and in
    /// pages.
    private static func isPlainHost(_ host: String) -> Bool {
        !host.isEmpty
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: ".-:[]_".utf8.contains(byte)
                }
            }
    }

    /// Whether the connection comes from a loopback address: from a client or a proxy on this machine.
    public var isFromLoopback: Bool {
        peerAddress.begins(with: "127.") || peerAddress == "::1" || peerAddress.begins(with: "::ffff:127.")
    }

    let channel: any Channel
    /// The body, which can be read only once. Use the methods below, such as ``readBody(bytesMax:_:)``, because this
    /// property does not limit the length of the body.
    package let body: RequestBody
    let beforeBody: BodyGate

    /// Returns the value of a header; `nil` when it is missing.
    public func header(_ name: HTTPField.Name) -> String? { head.headerFields.value(of: name) }

    /// Returns the value of a cookie; `nil` when it is missing or empty.
    package func cookie(_ name: String) -> String? { cookies.first { $0.name.isIdenticalText(to: name) }?.value }

    /// All cookies that are not empty, in their order.
    var cookies: [(name: String, value: String)] {
        head.headerFields[values: .cookie].flatMap { field in
            // The text is split by bytes, because Swift treats some characters as equal to `;`.
            field.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
                let nameAndValue = pair.drop { $0 == UInt8(ascii: " ") }
                    .split(separator: UInt8(ascii: "="), maxSplits: 1)
                    .map { String(decoding: $0, as: UTF8.self) }
                return nameAndValue.count == 2 ? (nameAndValue[0], nameAndValue[1]) : nil
            }
        }
    }

    /// Whether the header `If-None-Match` contains `*` or a given entity tag. The weak form of the tag also matches,
    /// because proxies may weaken tags.
    package func matches(_ tag: String) -> Bool {
        guard let clientTags = header(.ifNoneMatch) else { return false }
        return clientTags.commaSeparatedItems.contains { item in
            item == "*" || item.isIdenticalText(to: tag) || item.isIdenticalText(to: "W/\(tag)")
        }
    }

    /// Returns the part of the path that matched a parameter; empty when the pattern has no such parameter.
    public func parameter(_ name: String) -> String {
        parameters.first { $0.name.isIdenticalText(to: name) }?.value ?? ""
    }

    /// The declared length of the body; `nil` when the client does not declare it.
    var declaredLength: Int? { header(.contentLength).map { Int($0) ?? .max } }

    /// Whether the request is costly, because of the route's kind or because of the size of the request's body.
    func isCostly(_ route: Route) -> Bool {
        guard case .light = route.work else { return true }
        return declaredLength.map { $0 > ServerLimits.lightBodyBytesMax } ?? (header(.transferEncoding) != nil)
    }

    /// Reads the body piece by piece, without decompression.
    ///
    /// - Parameter bytesMax: The maximum length of the body.
    /// - Throws: ``HTTPFailure`` with status 413 when the body is longer than `bytesMax`, or with status 400 when the
    ///   body violates HTTP; ``IncompleteBody`` when the body ends too early or arrives too slowly; `CancellationError`
    ///   when the request is cancelled; errors of the closure.
    package func readBody(bytesMax: Int, _ handlePiece: (ByteBuffer) async throws -> Void) async throws {
        if let declaredLength, declaredLength > bytesMax { throw HTTPFailure.tooLarge(bytesMax) }
        try await beforeBody.open()
        let startTime = ContinuousClock.now
        defer { beforeBody.add(ContinuousClock.now - startTime) }
        var count = 0
        var pieces = body.makeAsyncIterator()
        while let piece = try await ServerRequest.next(&pieces) {
            count += piece.readableBytes
            guard count <= bytesMax else { throw HTTPFailure.tooLarge(bytesMax) }
            try await handlePiece(piece)
        }
        if let declaredLength, count < declaredLength { throw IncompleteBody() }
    }

    private static func next(_ pieces: inout RequestBody.AsyncIterator) async throws -> ByteBuffer? {
        do {
            let piece = try await pieces.next()
            // When a request is cancelled, its body ends as if it were complete.
            if piece == nil { try Task.checkCancellation() }
            return piece
        } catch let error as HTTPParserError where error != .invalidEOFState {
            throw HTTPFailure.badRequest("the body is not valid HTTP: \(error)")
        } catch {
            // The server itself may have caused the error, because it cancels requests when it stops and when it
            // revokes rights. In this case, the cancellation is reported.
            try Task.checkCancellation()
            throw IncompleteBody()
        }
    }

    // The functions that read complete bodies are not inlined. If they are inlined, the optimizer of Swift 6.3.1
    // crashes on some callers.

    /// Reads the body piece by piece, decompressed if it is compressed (`Content-Encoding: gzip`, `x-gzip` or
    /// `deflate`).
    ///
    /// - Parameter bytesMax: The maximum length of the body, both compressed and decompressed.
    /// - Throws: The errors of ``readBody(bytesMax:_:)``; ``HTTPFailure`` with status 415 for another content encoding;
    ///   an error for malformed compressed bytes.
    @inline(never)
    package func readUnpackedBody(bytesMax: Int, _ handlePiece: ([UInt8]) async throws -> Void) async throws {
        switch header(.contentEncoding)?.lowercased() {
        case nil, "", "identity":
            try await readBody(bytesMax: bytesMax) { try await handlePiece([UInt8]($0.readableBytesView)) }
        case "gzip", "x-gzip", "deflate":
            let stream = GzipUnpacker()
            var count = 0
            try await readBody(bytesMax: bytesMax) { packed in
                try await stream.append([UInt8](packed.readableBytesView)) { piece in
                    count += piece.count
                    guard count <= bytesMax else { throw HTTPFailure.tooLarge(bytesMax) }
                    try await handlePiece(piece)
                }
            }
            try stream.finish()
        case let other?:
            throw HTTPFailure(.unsupportedMediaType, "bad_ctype", "\(other) is not a supported content encoding.")
        }
    }

    /// Reads the complete body, decompressed. This method is for bodies that are no documents.
    ///
    /// - Throws: The errors of ``readUnpackedBody(bytesMax:_:)``, and of the work's memory budget; ``HTTPFailure`` with
    ///   status 400 when a text has too many combining marks in a row.
    @inline(never)
    public func collectBody(bytesMax: Int) async throws -> [UInt8] {
        try await collectCommand(bytesMax: bytesMax, memoryPerByte: 1)
    }

    /// Reads the complete body, and refuses texts that are expensive to compare.
    private func collectCommand(bytesMax: Int, memoryPerByte: Int) async throws -> [UInt8] {
        let bytes = try await collectBody(bytesMax: bytesMax, memoryPerByte: memoryPerByte)
        guard !CombiningMarks.areTooMany(inJSON: bytes) else { throw HTTPFailure.tooManyMarks }
        return bytes
    }

    /// Reads the complete body, decompressed.
    ///
    /// - Parameter memoryPerByte: The memory that the parsed body needs per byte of text. This memory is charged to the
    ///   work's budget.
    @inline(never)
    private func collectBody(bytesMax: Int, memoryPerByte: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        let budget = WorkBudget.current
        try await readUnpackedBody(bytesMax: bytesMax) { piece in
            try budget?.take(bytes: piece.count * memoryPerByte)
            bytes += piece
        }
        // A cancelled request ends before its body is parsed, because parsing the body takes longer than reading it.
        try Task.checkCancellation()
        return bytes
    }

    /// Whether the request's content type is one that the route accepts; `true` for methods other than POST.
    ///
    /// As in CouchDB, only POSTs are checked. A check of PUTs would refuse the requests of `curl -X PUT -d`, which
    /// declares every body as a form.
    func hasType(for route: Route) -> Bool {
        guard head.method == .post else { return true }
        switch route.posts {
        case .any: return true
        case .json: return isJSON
        case .jsonIfAny: return isJSON || hasNeitherBodyNorType && header(.origin) == nil
        }
    }

    /// Whether the request has neither a body nor a content type.
    private var hasNeitherBodyNorType: Bool {
        (declaredLength ?? 0) == 0 && header(.transferEncoding) == nil && (header(.contentType) ?? "").isEmpty
    }

    /// Whether the content type is `application/json`.
    public var isJSON: Bool {
        guard let type = header(.contentType) else { return false }
        guard type != "application/json" else { return true }
        let essence = type.utf8.prefix { byte in
            byte != UInt8(ascii: ";") && byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t")
        }
        return String(decoding: essence, as: UTF8.self).lowercasedASCII == "application/json"
    }

    /// Whether the method changes nothing.
    var isSafe: Bool { [.get, .head, .options].contains(head.method) }

    /// Whether a browser sends the request for a page of another origin. If the browser is too old for the header
    /// `Sec-Fetch-Site`, the host of the page is compared.
    var isOfForeignPage: Bool {
        if let site = header(.fetchSite) { return site != "same-origin" && site != "none" }
        guard let origin = header(.origin) else { return false }
        guard let host = origin.firstBytes("://").map({ origin[$0.upperBound...] }) else { return true }
        let ownHost = header(.forwardedHost) ?? head.authority ?? ""
        return !host.lowercased().utf8.elementsEqual(ownHost.lowercased().utf8)
    }

    /// Whether a browser requests a page to show it: HTML is the first type that it accepts, and it sends one of the
    /// headers that only browsers send. Java's HTTP client accepts HTML first, too.
    var acceptsPages: Bool {
        header(.accept).map { $0.lowercased().utf8.starts(with: "text/html".utf8) } ?? false
            && (header(.fetchMode) != nil || header(.upgradeInsecureRequests) != nil)
    }

    /// Reads the complete body as a JSON value. This method is for settings, keys and queries, not for documents.
    @inline(never)
    func collectValue(limits: ServerLimits, depthMax: Int) async throws -> JSONValue {
        let bytes = try await collectCommand(
            bytesMax: limits.controlRequestBytesMax, memoryPerByte: ServerLimits.valueBytesPerByte)
        return try ServerRequest.value(parsing: bytes, depthMax: depthMax)
    }

    /// Parses a body that is not a document.
    ///
    /// - Throws: ``HTTPFailure`` with status 413 when the body has more than ``ServerLimits/controlValuesMax`` values;
    ///   JSON errors. The values are counted before they are created, because they need much more memory than their
    ///   text.
    static func value(parsing bytes: [UInt8], depthMax: Int) throws -> JSONValue {
        let tape = try tape(scanning: bytes, depthMax: min(depthMax, JSONLimits.valueDepthMax))
        guard tape.count <= ServerLimits.controlValuesMax else { throw HTTPFailure.tooManyValues }
        return try tape.value(0)
    }

    /// Reads and scans the complete body as JSON.
    ///
    /// - Throws: The errors of ``readUnpackedBody(bytesMax:_:)``; a JSON error, for which the response has status 400.
    @inline(never)
    func collectJSON(limits: ServerLimits, depthMax: Int) async throws -> JSONTape {
        let bytes = try await collectBody(
            bytesMax: limits.jsonRequestBytesMax, memoryPerByte: ServerLimits.tapeBytesPerByte)
        return try ServerRequest.tape(scanning: bytes, depthMax: depthMax)
    }

    /// Reads and scans the complete body as JSON with documents. Long data of inline attachments is stored as it
    /// arrives.
    ///
    /// - Throws: The errors of ``readUnpackedBody(bytesMax:_:)`` and of the store; a JSON error, for which the response
    ///   has status 400.
    @inline(never)
    func collectDocuments(
        _ shape: AttachmentDataScanner.Shape, for datastore: Datastore, limits: ServerLimits, depthMax: Int
    ) async throws -> (tape: JSONTape, attachments: StreamedAttachments) {
        var reader = DocumentTextReader(shape, for: datastore, bytesMax: limits.jsonRequestBytesMax)
        try await reader.read(self, limits: limits)
        return try reader.scanned(depthMax: depthMax)
    }

    /// Scans a body. The scan ends with an error when the request is cancelled.
    static func tape(scanning bytes: [UInt8], depthMax: Int) throws -> JSONTape {
        var limits = JSONLimits(depthMax: depthMax)
        limits.stopsWhenCancelled = true
        return try JSONTape(scanning: bytes, limits: limits)
    }
}

extension HTTPFields {
    /// The value of a header; `nil` when it is missing. If the header is missing, this method is much faster than the
    /// subscript.
    func value(of name: HTTPField.Name) -> String? { contains(name) ? self[name] : nil }
}

extension HTTPField.Name {
    fileprivate static let forwardedProtocol = HTTPField.Name("X-Forwarded-Proto")!
    fileprivate static let forwardedHost = HTTPField.Name("X-Forwarded-Host")!

    /// The header with the version of the app that makes the request.
    public static let appVersion = HTTPField.Name("X-App-Version")!
}

/// Sends `100 Continue` to a client that waits for it (`Expect: 100-continue`). This is done when the handler begins to
/// read the body, because at that time the request is authorized and its declared length is accepted. This class also
/// measures the time in which the body is read.
final class BodyGate: @unchecked Sendable {
    // Proof of `Sendable`: one task at a time handles a request. This task reads the body and sends the head of the
    // response.
    private var announce: (() async throws -> Void)?

    private var time = Duration.zero

    /// The time from the beginning to the end of reading the body. It includes the handler's work on each piece.
    var milliseconds: Int { Int(time.milliseconds) }

    func add(_ time: Duration) { self.time += time }

    func set(_ announce: @escaping () async throws -> Void) { self.announce = announce }

    func open() async throws {
        guard let announce else { return }
        self.announce = nil
        try await announce()
    }
}

/// The error of reading a body that ended too early. The client disconnected, or its connection made no progress.
struct IncompleteBody: Error {}

extension HTTPFailure {
    /// The response to a request whose body ended too early. A client gets this response if it closed only its sending
    /// side and still reads.
    static let bodyBrokenOff = HTTPFailure.badRequest("the body ended too early")

    static let notJSON = HTTPFailure(
        .unsupportedMediaType, "bad_content_type", "Content-Type must be application/json")

    static let tooManyMarks = HTTPFailure.badRequest(
        "a text of the request has more than \(CombiningMarks.rowMax) combining marks in a row")

    static let tooManyValues = HTTPFailure(
        .contentTooLarge, "too_large", "the request's body has more than \(ServerLimits.controlValuesMax) values")

    static func tooLarge(_ bytesMax: Int) -> HTTPFailure {
        HTTPFailure(.contentTooLarge, "too_large", "the request's body is larger than \(bytesMax) bytes")
    }
}
