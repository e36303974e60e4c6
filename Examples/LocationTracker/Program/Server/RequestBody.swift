//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import HTTPTypes

extension ServerRequest {
    /// The maximum length of a request's body in bytes.
    private static let bodyBytesMax = 16 << 10

    /// Reads the members of the JSON object in the body.
    func members() async throws -> JSONObject {
        let bytes = try await collectBody(bytesMax: ServerRequest.bodyBytesMax)
        guard let members = (try? JSONValue(parsing: bytes))?.objectValue else {
            throw HTTPFailure(.badRequest, "bad_request", "The body must be a JSON object.")
        }
        return members
    }
}

extension JSONObject {
    /// Returns a member of a request's body.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the member is missing or is not a string.
    func text(_ member: String) throws(HTTPFailure) -> String {
        guard let text = self[member]?.stringValue else {
            throw HTTPFailure(.badRequest, "bad_request", "The body needs the member \(member), a string.")
        }
        return text
    }
}
