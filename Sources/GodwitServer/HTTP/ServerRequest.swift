//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGzip
import GodwitJSON
import GodwitThreads
public import HTTPTypes
package import HummingbirdCore
package import NIOCore
import NIOHTTP1

/// A piece of a path that a route's pattern names.
public struct PathParameter: Equatable, Sendable {
    /// The name in the pattern.
    public let name: String
    /// The piece, decoded.
    public let value: String
}

/// A request on its way to a handler.
public struct ServerRequest: Sendable {
    /// The request's line and headers.
    public let head: HTTPRequest
    /// The path and query.
    public let target: RequestTarget
    /// The target that the client asked for, where the rules of a design document led here from another one.
    var requested: RequestTarget?
    /// The pieces of the path that the route's pattern names.
    public internal(set) var parameters: [PathParameter] = []
    /// The address of the peer, without its port; empty when it has none or is gone.
    public var peerAddress: String { channel.remoteAddress?.ipAddress ?? "" }

    /// Whether the client speaks HTTPS: with this server, or as a proxy before it says (`X-Forwarded-Proto`).
    public var isSecure: Bool { head.scheme == "https" || header(.forwardedProtocol)?.lowercased() == "https" }

    /// The host that the client calls this server, with its port where it has one.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the client names none that can be.
    public var host: String {
        get throws(HTTPFailure) {
            let host = head.authority ?? ""
            guard Self.isPlainHost(host) else { throw .badRequest("The request names no host.") }
            return host
        }
    }

    /// The URL of a path of this server as the client knows it, or as a proxy says that it does (`X-Forwarded-Host`); the
    /// path alone when neither names a host.
    func url(_ path: String) -> String {
        let host = header(.forwardedHost) ?? head.authority ?? ""
        return Self.isPlainHost(host) ? "\(isSecure ? "https" : "http")://\(host)\(path)" : path
    }

    /// Whether a text can be a host with a port: nothing that a header or a page could take for something else.
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

    /// Whether the peer is on this machine.
    public var isFromLoopback: Bool {
        peerAddress.hasPrefix("127.") || peerAddress == "::1" || peerAddress.hasPrefix("::ffff:127.")
    }

    let channel: any Channel
    package let body: RequestBody
    let beforeBody: BodyGate

    /// A header's value.
    public func header(_ name: HTTPField.Name) -> String? { head.headerFields.value(of: name) }

    /// The value of a cookie; `nil` when there is none of this name.
    func cookie(_ name: String) -> String? { cookies.first { $0.name == name }?.value }

    /// All cookies in their order.
    var cookies: [(name: String, value: String)] {
        head.headerFields[values: .cookie].flatMap { field in
            field.split(separator: ";").compactMap { pair in
                let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                return sides.count == 2 ? (String(sides[0]), String(sides[1])) : nil
            }
        }
    }

    /// Whether the client has what this tag stands for (`If-None-Match`); proxies may have weakened it.
    func matches(_ tag: String) -> Bool {
        guard let known = header(.ifNoneMatch) else { return false }
        return known.split(separator: ",").contains { item in
            let item = item.drop { $0 == " " }
            return item == "*" || item == tag || item.hasPrefix("W/") && item.dropFirst(2) == tag
        }
    }

    /// A piece of the path that the pattern names.
    public func parameter(_ name: String) -> String { parameters.first { $0.name == name }?.value ?? "" }

    /// The body's declared length; `nil` when it is sent in chunks.
    var declaredLength: Int? { header(.contentLength).flatMap { Int($0) } }

    /// Whether the request is costly work for a route: by the route's kind, or by the size of its body.
    func isCostly(_ route: Route) -> Bool {
        guard case .light = route.work else { return true }
        return declaredLength.map { $0 > ServerLimits.lightBodyBytesMax } ?? (header(.transferEncoding) != nil)
    }

    /// Reads the body piece by piece.
    ///
    /// - Parameter bytesMax: The most that is taken.
    /// - Throws: ``HTTPFailure`` with status 413 above `bytesMax`, 400 when the body is not what HTTP says;
    ///   ``BrokenOffBody`` when it ends too early.
    package func readBody(bytesMax: Int, _ take: (ByteBuffer) async throws -> Void) async throws {
        if let declaredLength, declaredLength > bytesMax { throw HTTPFailure.tooLarge(bytesMax) }
        try await beforeBody.open()
        let begun = ContinuousClock.now
        defer { beforeBody.add(ContinuousClock.now - begun) }
        var count = 0
        var pieces = body.makeAsyncIterator()
        while let piece = try await ServerRequest.next(&pieces) {
            count += piece.readableBytes
            guard count <= bytesMax else { throw HTTPFailure.tooLarge(bytesMax) }
            try await take(piece)
        }
        if let declaredLength, count < declaredLength { throw BrokenOffBody() }
    }

    private static func next(_ pieces: inout RequestBody.AsyncIterator) async throws -> ByteBuffer? {
        do {
            let piece = try await pieces.next()
            // The body of a request that is cut ends as if it were complete.
            if piece == nil { try Task.checkCancellation() }
            return piece
        } catch let error as HTTPParserError where error != .invalidEOFState {
            throw HTTPFailure.badRequest("the body is no body of HTTP: \(error)")
        } catch {
            // A server that stops, or takes rights back, cuts the request itself.
            try Task.checkCancellation()
            throw BrokenOffBody()
        }
    }

    // The readers of whole bodies are not inlined: the optimizer of Swift 6.3.1 crashes on some callers when they are.

    /// Reads the body piece by piece, unpacked where it is compressed (`Content-Encoding: gzip`).
    ///
    /// - Parameter bytesMax: The most that is taken, packed and unpacked.
    @inline(never)
    package func readUnpackedBody(bytesMax: Int, _ take: ([UInt8]) async throws -> Void) async throws {
        switch header(.contentEncoding)?.lowercased() {
        case nil, "", "identity":
            try await readBody(bytesMax: bytesMax) { try await take([UInt8]($0.readableBytesView)) }
        case "gzip", "x-gzip", "deflate":
            let stream = GzipUnpacker()
            var count = 0
            try await readBody(bytesMax: bytesMax) { packed in
                try await stream.append([UInt8](packed.readableBytesView)) { piece in
                    count += piece.count
                    guard count <= bytesMax else { throw HTTPFailure.tooLarge(bytesMax) }
                    try await take(piece)
                }
            }
            try stream.finish()
        case let other?:
            throw HTTPFailure(.unsupportedMediaType, "bad_ctype", "\(other) is not a supported content encoding.")
        }
    }

    /// The whole body, unpacked.
    @inline(never)
    public func collectBody(bytesMax: Int) async throws -> [UInt8] {
        try await collectBody(bytesMax: bytesMax, memoryPerByte: 1)
    }

    /// - Parameter memoryPerByte: Bytes of memory that what is made of the body takes for each byte of it.
    @inline(never)
    private func collectBody(bytesMax: Int, memoryPerByte: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        let budget = WorkBudget.current
        try await readUnpackedBody(bytesMax: bytesMax) { piece in
            try budget?.take(bytes: piece.count * memoryPerByte)
            bytes += piece
        }
        // What is made of it takes longer than it took to read.
        try Task.checkCancellation()
        return bytes
    }

    /// Whether the type of the body is one that a POST to a route may have.
    ///
    /// As in CouchDB, only POSTs are held to it: `curl -X PUT -d` calls everything a form.
    func hasType(for route: Route) -> Bool {
        guard head.method == .post else { return true }
        switch route.posts {
        case .any: return true
        case .json: return isJSON
        case .jsonIfAny: return isJSON || saysNothing && header(.origin) == nil
        }
    }

    /// Whether there is no body, nor a type of one.
    private var saysNothing: Bool {
        (declaredLength ?? 0) == 0 && header(.transferEncoding) == nil && (header(.contentType) ?? "").isEmpty
    }

    /// Whether the client says that the body is JSON.
    var isJSON: Bool {
        guard let type = header(.contentType) else { return false }
        guard type != "application/json" else { return true }
        return type.prefix { $0 != ";" && $0 != " " && $0 != "\t" }.lowercased() == "application/json"
    }

    /// The whole body as a JSON value: settings, keys and queries, never documents.
    @inline(never)
    func collectValue(limits: ServerLimits, depthMax: Int) async throws -> JSONValue {
        let bytes = try await collectBody(
            bytesMax: limits.controlRequestBytesMax, memoryPerByte: ServerLimits.valueBytesPerByte)
        return try ServerRequest.value(parsing: bytes, depthMax: depthMax)
    }

    /// The value of a body that is no document.
    ///
    /// - Throws: ``HTTPFailure`` with status 413 above ``ServerLimits/controlValuesMax``. Values take many times the memory
    ///   of their text: their number is known before they are made.
    static func value(parsing bytes: [UInt8], depthMax: Int) throws -> JSONValue {
        let tape = try tape(scanning: bytes, depthMax: min(depthMax, JSONLimits.valueDepthMax))
        guard tape.count <= ServerLimits.controlValuesMax else { throw HTTPFailure.tooManyValues }
        return try tape.value(0)
    }

    /// The whole body as JSON.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when it is no JSON.
    @inline(never)
    func collectJSON(limits: ServerLimits, depthMax: Int) async throws -> JSONTape {
        let bytes = try await collectBody(
            bytesMax: limits.jsonRequestBytesMax, memoryPerByte: ServerLimits.tapeBytesPerByte)
        return try ServerRequest.tape(scanning: bytes, depthMax: depthMax)
    }

    /// Scans a body. The scan ends when the client is gone.
    private static func tape(scanning bytes: [UInt8], depthMax: Int) throws -> JSONTape {
        var limits = JSONLimits(depthMax: depthMax)
        limits.stopsWhenCancelled = true
        return try JSONTape(scanning: bytes, limits: limits)
    }
}

extension HTTPFields {
    /// The value of a header; `nil` when there is none. Costs much less than the subscript for an absent header.
    func value(of name: HTTPField.Name) -> String? { contains(name) ? self[name] : nil }
}

extension HTTPField.Name {
    fileprivate static let forwardedProtocol = HTTPField.Name("X-Forwarded-Proto")!
    fileprivate static let forwardedHost = HTTPField.Name("X-Forwarded-Host")!

    /// The version of the app that asks.
    public static let appVersion = HTTPField.Name("X-App-Version")!
}

/// Lets a client that asked first (`Expect: 100-continue`) send its body, when the handler begins to read it: the request was
/// authorized and its declared length accepted before. Adds up the time that reading took.
final class BodyGate: @unchecked Sendable {
    // Proof of `Sendable`: one task at a time handles a request. It reads the body and it sends the head of the answer.
    private var announce: (() async throws -> Void)?

    private var time = Duration.zero

    /// The time between the first and the last piece of the body, the handler's work in between included.
    var milliseconds: Int { Int(time.milliseconds) }

    func add(_ time: Duration) { self.time += time }

    func set(_ announce: @escaping () async throws -> Void) { self.announce = announce }

    func open() async throws {
        guard let announce else { return }
        self.announce = nil
        try await announce()
    }
}

/// The end of a request's body before it is all there: its client went away, or stalled.
struct BrokenOffBody: Error {}

extension HTTPFailure {
    /// For a client that ended its side alone, and reads on.
    static let bodyBrokenOff = HTTPFailure.badRequest("the body ended too early")

    static let notJSON = HTTPFailure(
        .unsupportedMediaType, "bad_content_type", "Content-Type must be application/json")

    static let tooManyValues = HTTPFailure(
        .contentTooLarge, "too_large", "the request's body has more than \(ServerLimits.controlValuesMax) values")

    static func tooLarge(_ bytesMax: Int) -> HTTPFailure {
        HTTPFailure(.contentTooLarge, "too_large", "the request's body is above \(bytesMax) bytes")
    }
}
