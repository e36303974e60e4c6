//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// The form of the error responses of a module whose protocol is not CouchDB's.
///
/// The form applies to all requests whose path begins with the module's segment. For these requests, the form is used
/// both for errors of the module's handlers and for errors of the server itself. Examples of the latter are an unknown
/// method and too many requests.
public struct FailureForm: Sendable {
    /// An error response in the form of a protocol.
    public struct Rendered: Sendable {
        /// The status of the response.
        public var status: HTTPResponse.Status
        /// The content type of the body.
        public var contentType: String
        /// Headers that the protocol requires.
        public var headers: HTTPFields
        /// The body.
        public var body: [UInt8]

        /// Creates an error response.
        public init(
            status: HTTPResponse.Status, contentType: String, headers: HTTPFields = [:], body: [UInt8]
        ) {
            self.status = status
            self.contentType = contentType
            self.headers = headers
            self.body = body
        }
    }

    let render: @Sendable (_ failure: HTTPFailure, _ path: String, _ requestID: String) -> Rendered

    /// Creates a form.
    ///
    /// - Parameter render: A closure that returns the error response. It gets the failure, the path of the request
    ///   without the query, and the identifier of the request.
    public init(render: @escaping @Sendable (_ failure: HTTPFailure, _ path: String, _ requestID: String) -> Rendered) {
        self.render = render
    }
}
