//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes

/// A function's response to a request. It is an object in CouchDB's format, with the members `code` and `headers` and
/// one of the members `body`, `json` and `base64`.
struct FunctionResponse {
    var status: HTTPResponse.Status
    var headers: HTTPFields = [:]
    private(set) var contentType = "application/json"
    private(set) var body: [UInt8] = []
    /// Whether the response is a JSON value. Such a response is sent with the headers that all JSON responses of the
    /// server have.
    private let isJSON: Bool

    /// Parses the result of a function.
    ///
    /// - Parameter status: The status of the response if the function does not set a status.
    /// - Throws: ``HTTPFailure`` with status 500 and CouchDB's reason for an invalid response.
    init(_ value: JSONValue, status: HTTPResponse.Status = .ok) throws(HTTPFailure) {
        self.status = status
        guard let members = value.objectValue else { throw .invalidResponse(value.jsonText()) }
        isJSON = members["json"] != nil
        // A function may return a web page.
        headers[.contentSecurityPolicy] = StoredContent.policy
        headers[.xContentTypeOptions] = "nosniff"
        for (name, member) in members { try read(name, member) }
        if let json = members["json"] {
            contentType = "application/json"
            body = json.jsonBytes() + [UInt8(ascii: "\n")]
        }
        if let type = headers[.contentType] { contentType = type }
    }

    private mutating func read(_ name: String, _ member: JSONValue) throws(HTTPFailure) {
        switch (name, member) {
        case ("code", .integer(let code)) where (200...599).contains(code):
            status = .init(code: Int(clamping: code))
        case ("headers", .object(let fields)):
            guard fields.count <= ServerLimits.functionHeadersMax else {
                throw .invalidResponse("more than \(ServerLimits.functionHeadersMax) headers")
            }
            for (field, value) in fields { try readHeader(field, value) }
        case ("body", .string(let text)):
            body = Array(text.utf8)
            contentType = "text/html; charset=utf-8"
        case ("base64", .string(let digits)):
            guard let bytes = Base64.decode(digits.utf8) else { throw .invalidResponse("base64") }
            body = bytes
            contentType = "application/binary"
        case ("json", _), ("stop", .bool(true)): break
        default: throw .invalidResponse("{\(JSONValue.string(name).jsonText()),\(member.jsonText())}")
        }
    }

    private mutating func readHeader(_ field: String, _ value: JSONValue) throws(HTTPFailure) {
        guard let name = HTTPField.Name(field) else { throw .invalidResponse("the header \(field)") }
        let value = value.stringValue ?? value.jsonText()
        guard FunctionHeaders.permit(name, value) else { return }
        // If a function sets a content security policy, the response contains the policy of the server and the policy
        // of the function. A browser enforces both. Therefore the function cannot weaken the policy of the server.
        headers[name] = name == .contentSecurityPolicy ? "\(StoredContent.policy), \(value)" : value
    }

    /// Sends the complete response.
    func send(to response: ServerResponse) async throws {
        if !isJSON { response.omitCacheControl() }
        guard status != .noContent, status != .notModified else {
            return try await response.sendEmpty(status, headers: headers)
        }
        try await response.send(status, contentType: contentType, headers: headers, body: body)
    }
}

extension HTTPFailure {
    fileprivate static func invalidResponse(_ detail: String) -> HTTPFailure {
        HTTPFailure(.internalServerError, "external_response_error", "Invalid data from external server: \(detail)")
    }
}
