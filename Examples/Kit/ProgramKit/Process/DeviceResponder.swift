//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GodwitJSON
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Answers the requests of the browser.
struct DeviceResponder: Sendable {
    /// The maximum length of the body of an action, in bytes.
    private static let actionBytesMax = 256 << 10
    /// The interval at which a stream of events sends the state even if it has not changed, in seconds. This has two
    /// purposes: the page shows times since an event, which must be updated, and a failure to send shows that the
    /// browser has disconnected.
    private static let heartbeatSeconds = 10

    let app: any DeviceApp
    let access: DeviceAccess

    func respond(to request: Request, _ writer: consuming ResponseWriter) async throws {
        let answer: Answer
        do {
            answer = try await self.answer(request)
        } catch {
            answer = .refusal(error)
        }
        switch answer {
        case .response(let response): try await writer.write(response: response.head, body: response.body)
        case .events: try await sendEvents(writer, request)
        }
    }

    private enum Answer {
        case response(Response)
        case events

        static func refusal(_ error: DeviceError) -> Answer {
            let body: JSONValue = ["error": .string(error.code.description), "reason": .string(error.message)]
            return content(DeviceContent(body), error.status)
        }

        static func content(_ content: DeviceContent, _ status: HTTPResponse.Status = .ok) -> Answer {
            var headers = DeviceResponder.safety
            headers[.contentType] = content.type
            headers[.cacheControl] = content.isPermanent ? "private, max-age=86400, immutable" : "no-store"
            headers[.contentLength] = String(content.bytes.count)
            return .response(
                Response(
                    status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: content.bytes))))
        }
    }

    /// Headers that protect the page. The browser then loads nothing from other servers, ignores inline scripts and
    /// styles, and does not show the page within another page.
    private static let safety: HTTPFields = [
        .contentSecurityPolicy: """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
        media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """,
        .xContentTypeOptions: "nosniff", HTTPField.Name("Referrer-Policy")!: "no-referrer",
        HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
    ]

    private func answer(_ request: Request) async throws(DeviceError) -> Answer {
        guard access.isFromHere(request.head) else { throw DeviceError(.refused, DeviceAccess.advice) }
        let (path, query) = (request.uri.path, DeviceResponder.query(request))
        if path == "/", let key = query["key"] {
            guard let cookie = access.newCookie(for: key) else { throw DeviceError(.refused, DeviceAccess.advice) }
            return .response(
                Response(status: .seeOther, headers: [.setCookie: cookie, .location: "/", .cacheControl: "no-store"]))
        }
        if path == "/login", request.method == .get, let page = await app.returned(query) { return .content(page) }
        guard access.isAllowed(request.head) else { throw DeviceError(.refused, DeviceAccess.advice) }
        switch request.method {
        case .get: return try await read(path, query)
        case .post: return try await write(request, path, query)
        default: throw DeviceError(.input, "Only GET and POST are possible.")
        }
    }

    private func read(_ path: String, _ query: [String: String]) async throws(DeviceError) -> Answer {
        switch path {
        case "/state": return .content(DeviceContent(await app.state()))
        case "/events": return .events
        default:
            if let file = file(of: path) { return .content(DeviceContent(file)) }
            guard let content = try await app.content(path, query) else {
                throw DeviceError(.notFound, "\(path) does not exist.")
            }
            return .content(content)
        }
    }

    private func file(of path: String) -> EmbeddedFiles.File? {
        if path == "/" { return app.files.file("index.html", in: "device") }
        let prefix = "/page/"
        return path.hasPrefix(prefix) ? app.files.file(String(path.dropFirst(prefix.count)), in: "device") : nil
    }

    private func write(
        _ request: Request, _ path: String, _ query: [String: String]
    ) async throws(DeviceError) -> Answer {
        let actions = "/actions/"
        if path.hasPrefix(actions) {
            let bytes = try await body(of: request, bytesMax: DeviceResponder.actionBytesMax)
            guard let arguments = bytes.isEmpty ? [:] : (try? JSONValue(parsing: bytes))?.objectValue else {
                throw DeviceError(.input, "The body must be a JSON object.")
            }
            return answered(try await app.perform(String(path.dropFirst(actions.count)), arguments), .ok)
        }
        guard path == app.filePath, app.fileBytesMax > 0 else {
            throw DeviceError(.notFound, "\(path) does not exist.")
        }
        let file = try await body(of: request, bytesMax: app.fileBytesMax)
        return answered(try await app.receive(file, query), .created)
    }

    private func answered(_ members: JSONObject, _ status: HTTPResponse.Status) -> Answer {
        var body = members
        body["ok"] = true
        return .content(DeviceContent(.object(body)), status)
    }

    private func body(of request: Request, bytesMax: Int) async throws(DeviceError) -> [UInt8] {
        let tooLarge = DeviceError(.tooLarge, "The file has more than \(bytesMax >> 10) KB. Choose a smaller one.")
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > bytesMax { throw tooLarge }
        var bytes: [UInt8] = []
        do {
            for try await piece in request.body {
                guard bytes.count + piece.readableBytes <= bytesMax else { throw tooLarge }
                bytes.append(contentsOf: piece.readableBytesView)
            }
        } catch let error as DeviceError {
            throw error
        } catch {
            throw DeviceError(.input, "The request was not received completely.", cause: error)
        }
        return bytes
    }

    private static func query(_ request: Request) -> [String: String] {
        var query: [String: String] = [:]
        let text = request.head.path?.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[decoded(parts[0])] = parts.count > 1 ? decoded(parts[1]) : ""
        }
        return query
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = String(text).replacing("+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }

    // MARK: Events

    /// Sends the state, and sends it again after each change. Ends when the browser disconnects, or when another
    /// browser gets the cookie.
    private func sendEvents(_ writer: consuming ResponseWriter, _ request: Request) async throws {
        var headers = DeviceResponder.safety
        (headers[.contentType], headers[.cacheControl]) = ("text/event-stream", "no-store")
        let changes = app.changes()
        var body: any ResponseBodyWriter = try await writer.writeHead(HTTPResponse(status: .ok, headerFields: headers))
        try await body.write(event(await app.state()))
        for await _ in DeviceResponder.merged(changes, everySeconds: DeviceResponder.heartbeatSeconds) {
            guard access.isAllowed(request.head) else { break }
            try await body.write(event(await app.state()))
        }
        try await body.finish(nil)
    }

    private func event(_ state: JSONValue) -> ByteBuffer { ByteBuffer(string: "data: \(state.jsonText())\n\n") }

    /// Returns a stream with an element after each change and after each interval.
    private static func merged(_ changes: AsyncStream<Void>, everySeconds seconds: Int) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let changing = Task {
            for await _ in changes { continuation.yield() }
            continuation.finish()
        }
        let beating = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(seconds))
                continuation.yield()
            }
        }
        continuation.onTermination = { _ in
            changing.cancel()
            beating.cancel()
        }
        return stream
    }
}

extension DeviceError {
    /// The status of the response to the browser.
    fileprivate var status: HTTPResponse.Status {
        switch code {
        case .input: .badRequest
        case .notFound: .notFound
        case .refused: .forbidden
        case .tooLarge: .contentTooLarge
        case .unsupported: .unsupportedMediaType
        case .locked: .conflict
        case .unreachable: .badGateway
        default: .internalServerError
        }
    }
}
