//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes
import NIOHTTP1

extension HTTPRequest {
    /// Returns a copy of the request whose authority is the host that the request names (RFC 9112, section 3.2; RFC
    /// 9113, section 8.3.1). The authority is `nil` if the request names no host, or more than one host. In HTTP/2, a
    /// host that is named twice is treated as one host. A request of HTTP/1.0 without a host gets an empty authority.
    ///
    /// - Parameter version: The HTTP version; `nil` in HTTP/2.
    func withSingleHost(version: HTTPVersion?) -> HTTPRequest {
        var request = self
        if let version {
            // The transport has removed the first header `Host` and set the authority to its value. If another header
            // `Host` remains, the request names more than one host.
            if headerFields.contains(.host) { request.authority = nil }
            if authority == nil, (version.major, version.minor) < (1, 1) { request.authority = "" }
        } else if headerFields.contains(.host) {
            let hosts = headerFields[values: .host]
            let isOne = hosts.allSatisfy { $0.isIdenticalText(to: authority ?? hosts[0]) }
            request.authority = isOne ? hosts[0] : nil
        }
        return request
    }
}

extension HTTPField.Name {
    fileprivate static let host = HTTPField.Name("Host")!
}
