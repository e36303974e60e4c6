//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import GodwitDatabase

/// A request to the middle tier that failed.
struct FeedError: Error, Sendable {
    enum Kind: Sendable {
        /// The server or its storage does not answer, or the user has made too many requests. The same request may
        /// succeed later.
        case unreachable
        /// The user has to sign in.
        case signedOut
        /// The picture of a post is not on the server.
        case notUploaded
        /// The server does not have the object that the request names.
        case gone
        /// The server refuses the request.
        case refused
    }

    private static let bodyBytesMax = 64 << 10

    let kind: Kind
    /// The reason, for the user.
    let message: String
    /// The time in seconds after which the request may be repeated; `nil` if the server did not specify it.
    var retrySeconds: Double?

    init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    /// Reads the error of a response with status 400 or above.
    init(_ response: TransportResponse) async {
        let bytes = (try? await response.collect(bytesMax: FeedError.bodyBytesMax)) ?? []
        let body = (try? JSONValue(parsing: bytes)) ?? .null
        kind =
            switch response.status {
            case 401: .signedOut
            case 404: .gone
            case 409 where body["error"]?.stringValue == "not_uploaded": .notUploaded
            case 429, 500...: .unreachable
            default: .refused
            }
        message = body["reason"]?.stringValue ?? "The server refuses the request with status \(response.status)."
        retrySeconds = response["Retry-After"].flatMap { Double($0) }
    }
}

extension DeviceError {
    /// Creates the error for the user.
    init(_ error: FeedError) {
        let code: Code =
            switch error.kind {
            case .unreachable: .unreachable
            case .signedOut: .locked
            case .gone: .notFound
            case .notUploaded, .refused: .refused
            }
        self.init(code, error.message, cause: error)
    }
}
