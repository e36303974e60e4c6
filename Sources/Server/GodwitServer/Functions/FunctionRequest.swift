//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes

/// A request in the form that functions of design documents get (`req`).
struct FunctionRequest {
    let request: ServerRequest
    let database: OpenDatabase
    /// The id of the document in the path; `nil` if the path contains no document.
    var documentID: String?
    /// The body; `nil` when it is empty.
    var body: [UInt8]?
    /// Whether the function gets the body as a value instead of a text, as CouchDB's list functions do.
    var bodyIsJSON = false

    init(request: ServerRequest, database: OpenDatabase, documentID: String? = nil, body: [UInt8]?) {
        self.request = request
        self.database = database
        self.documentID = documentID
        self.body = body?.isEmpty == false ? body : nil
    }

    /// Creates the function's request from a received request, and reads the complete body.
    init(
        reading request: ServerRequest, database: OpenDatabase, documentID: String? = nil, limits: ServerLimits
    ) async throws {
        let body = try await request.collectBody(bytesMax: limits.jsonRequestBytesMax)
        self.init(request: request, database: database, documentID: documentID, body: body)
    }

    /// Returns the request as JSON.
    ///
    /// - Parameter activities: The server's running activities, for `info`.
    func value(_ activities: Activities, security: SecurityObject) throws -> JSONValue {
        var headers = JSONObject()
        if let host = request.head.authority { headers["Host"] = .string(host) }
        for field in request.head.headerFields where FunctionHeaders.permitReading(field.name) {
            headers[Self.capitalized(field.name.rawName)] = .string(field.value)
        }
        return [
            "info": try database.datastore.infoValue(activities),
            "id": documentID.map { .string($0) } ?? .null,
            "uuid": .string(Self.uuid),
            "method": .string(request.head.method.rawValue),
            "requested_path": requestedPath,
            "path": Self.list(request.target),
            "raw_path": .string(request.head.path ?? ""),
            "query": .object(try query),
            "headers": .object(headers),
            "body": bodyIsJSON ? try body.map { try JSONValue(parsing: $0) } ?? .string(bodyText) : .string(bodyText),
            "peer": .string(request.peerAddress),
            "form": .object(form),
            "cookie": .object(cookies),
            "userCtx": try JSONValue(parsing: database.userContext),
            "secObj": .object(security.value),
        ]
    }

    /// The segments of the path that the client requested. As in CouchDB, the last segment includes the query string.
    /// In a rewritten request, it does not.
    private var requestedPath: JSONValue {
        var pieces = (request.requested ?? request.target).segments
        let query = request.head.path?.utf8
            .split(separator: UInt8(ascii: "?"), maxSplits: 1).dropFirst().first.map(Substring.init)
        if request.requested == nil, let query, let decoded = try? RequestTarget.decode(query),
            let last = pieces.popLast()
        {
            pieces.append("\(last)?\(decoded)")
        }
        return .array(pieces.map { .string($0) })
    }

    /// The body. As in CouchDB, if the request has no body, this is an empty text for POST, PUT and PATCH. For other
    /// methods, it is the text `undefined`.
    private var bodyText: String {
        if let body { return String(decoding: body, as: UTF8.self) }
        return [.post, .put, .patch].contains(request.head.method) ? "" : "undefined"
    }

    private static func list(_ target: RequestTarget) -> JSONValue { .array(target.segments.map { .string($0) }) }

    /// The cookies of the request, without the cookies of sessions and logins.
    private var cookies: JSONObject {
        JSONObject(request.cookies.filter { !FunctionHeaders.isSession($0.name) }.map { ($0.name, .string($0.value)) })
    }

    /// The query's parameters. As in CouchDB, the parameters in ``parametersInJSON`` are parsed as JSON.
    private var query: JSONObject {
        get throws {
            JSONObject(
                try request.target.query.map { name, text in
                    guard FunctionRequest.parametersInJSON.contains(name) else { return (name, .string(text)) }
                    return (name, try JSONValue(parsing: text))
                })
        }
    }

    private static let parametersInJSON: Set<String> = ["startkey", "endkey", "key", "descending"]

    /// The fields of a posted form; empty for another content type.
    private var form: JSONObject {
        guard let body, [.post, .put].contains(request.head.method),
            request.header(.contentType)?.lowercased().begins(with: "application/x-www-form-urlencoded") == true,
            let target = try? RequestTarget("/?" + String(decoding: body, as: UTF8.self))
        else { return [:] }
        return JSONObject(target.query.map { ($0.name, .string($0.value)) })
    }

    private static var uuid: String {
        [UInt8].random(count: 16).hexadecimal
    }

    /// Returns the name of a header with capitalized words, for example `Content-Type`. Functions expect names in this
    /// form.
    private static func capitalized(_ name: String) -> String {
        name.pieces(at: "-", omittingEmptySubsequences: false)
            .map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: "-")
    }
}

extension ServerContext {
    /// Returns a request in the form that functions of design documents get, as JSON text.
    func functionRequest(_ request: FunctionRequest) async throws -> [UInt8] {
        let name = request.database.datastore.name
        let security = try await securities.object(of: name) ?? .administratorsOnly
        return try request.value(activities, security: security).jsonBytes()
    }
}
