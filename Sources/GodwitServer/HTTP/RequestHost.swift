//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOHTTP1

extension HTTPRequest {
    /// The request with the one host that it names as its authority, and without an authority when it names none or several
    /// (RFC 9112, section 3.2; RFC 9113, section 8.3.1). HTTP/1.0 may name none, which is an empty host.
    ///
    /// - Parameter version: `nil` in HTTP/2.
    func namingOneHost(version: HTTPVersion?) -> HTTPRequest {
        var request = self
        if let version {
            // The first header is the authority already.
            if headerFields.contains(.host) { request.authority = nil }
            if authority == nil, (version.major, version.minor) < (1, 1) { request.authority = "" }
        } else if headerFields.contains(.host) {
            let hosts = headerFields[values: .host]
            request.authority = hosts.allSatisfy { $0 == authority ?? hosts[0] } ? hosts[0] : nil
        }
        return request
    }
}

extension HTTPField.Name {
    fileprivate static let host = HTTPField.Name("Host")!
}
