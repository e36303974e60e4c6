//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// A request as functions of design documents are given it (`req`).
struct FunctionRequest {
    let request: ServerRequest
    let database: OpenDatabase
    /// The document that the path names; `nil` when it names none.
    var documentID: String?
    /// The body; `nil` when there is none.
    var body: [UInt8]?

    /// All of it, in JSON.
    ///
    /// - Parameter activities: What the server does beside, for `info`.
    func value(_ activities: Activities, security: SecurityObject) throws -> JSONValue {
        let path = JSONValue.array(request.target.segments.map { .string($0) })
        var headers = JSONObject()
        if let host = request.head.authority { headers["Host"] = .string(host) }
        for field in request.head.headerFields where field.name != .authorization && field.name != .cookie {
            headers[Self.capitalized(field.name.rawName)] = .string(field.value)
        }
        return [
            "info": try database.datastore.infoValue(activities),
            "id": documentID.map { .string($0) } ?? .null,
            "uuid": .string(Self.uuid),
            "method": .string(request.head.method.rawValue),
            "requested_path": path, "path": path, "raw_path": .string(request.head.path ?? ""),
            "query": .object(JSONObject(request.target.query.map { ($0.name, .string($0.value)) })),
            "headers": .object(headers),
            "body": .string(body.map { String(decoding: $0, as: UTF8.self) } ?? "undefined"),
            "peer": .string(request.peerAddress),
            "form": .object(form),
            "cookie": .object([:]),
            "userCtx": try JSONValue(parsing: database.userContext),
            "secObj": .object(security.value),
        ]
    }

    /// The fields of a form that was posted.
    private var form: JSONObject {
        guard let body,
            request.header(.contentType)?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true,
            let target = try? RequestTarget("/?" + String(decoding: body, as: UTF8.self))
        else { return [:] }
        return JSONObject(target.query.map { ($0.name, .string($0.value)) })
    }

    private static var uuid: String {
        (0..<16).map { _ in UInt8.random(in: 0...255) }.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// A header's name with capitals at the beginnings of its words: functions look for `Accept` and `Content-Type`.
    private static func capitalized(_ name: String) -> String {
        name.split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: "-")
    }
}

extension ServerContext {
    /// A request as functions of design documents are given it, in JSON.
    func functionRequest(_ request: FunctionRequest) async throws -> [UInt8] {
        let name = request.database.datastore.name
        let security = try await securities.object(of: name) ?? .administratorsOnly
        return try request.value(activities, security: security).jsonBytes()
    }
}
