//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The result of a request that deletes many objects, in OpenStack Swift's forms. The status of the response is always
/// 200. The status of the deletions is in the body.
struct SwiftDeletions: Sendable {
    /// The number of deleted objects and containers.
    var deletedCount = 0
    /// The number of paths without an object or a container.
    var missingCount = 0
    /// The paths that could not be deleted, percent-encoded, with a status such as `409 Conflict`.
    var failures: [(path: String, status: String)] = []
    /// The status and the message of a request that deleted nothing, or that ended early.
    var refusal: (status: String, reason: String)?

    private var status: String { refusal?.status ?? (failures.isEmpty ? "200 OK" : "400 Bad Request") }

    private enum Form { case plain, json, xml }

    /// Sends the result. Clients choose the form with the header `Accept`; the default is text.
    func send(_ request: SwiftRequest) async throws {
        let accepted = request.head.header(.accept) ?? ""
        let form: Form =
            accepted.includes("application/json")
            ? .json : accepted.includes("application/xml") || accepted.includes("text/xml") ? .xml : .plain
        let (type, body) =
            switch form {
            case .plain: ("text/plain; charset=utf-8", text)
            case .json: ("application/json", json)
            case .xml: ("application/xml", xml)
            }
        try await request.response.send(contentType: type, headers: request.headers(), body: body)
    }

    private var text: [UInt8] {
        let lines = failures.map { "\($0.path), \($0.status)\n" }.joined()
        return Array(
            """
            Number Deleted: \(deletedCount)
            Number Not Found: \(missingCount)
            Response Body: \(refusal?.reason ?? "")
            Response Status: \(status)
            Errors:
            \(lines)
            """.utf8)
    }

    private var json: [UInt8] {
        let errors = failures.map { JSONValue.array([.string($0.path), .string($0.status)]) }
        return JSONValue.object([
            "Response Status": .string(status), "Response Body": .string(refusal?.reason ?? ""),
            "Number Deleted": .integer(Int64(deletedCount)), "Number Not Found": .integer(Int64(missingCount)),
            "Errors": .array(errors),
        ]).jsonBytes()
    }

    private var xml: [UInt8] {
        var writer = XMLWriter()
        writer.open("delete")
        writer.element("number_deleted", "\(deletedCount)")
        writer.element("number_not_found", "\(missingCount)")
        writer.element("response_body", refusal?.reason ?? "")
        writer.element("response_status", status)
        writer.open("errors")
        for failure in failures {
            writer.open("object")
            writer.element("name", failure.path)
            writer.element("status", failure.status)
            writer.close()
        }
        writer.close()
        writer.close()
        return writer.bytes
    }
}
