//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClientNIO
import GodwitStore
import GodwitSync
import GodwitTransport
import GodwitURLSession

/// The transports: the same tests run with each.
enum Wire: String, CaseIterable, Sendable {
    case asyncHTTPClient, urlSession

    var transport: any Transport {
        switch self {
        case .asyncHTTPClient: AsyncHTTPTransport()
        case .urlSession: URLSessionTransport()
        }
    }
}

// Most tests use the transport of the server and the command.

extension CouchDatabase {
    init(_ url: String, credentials: Credentials? = nil, limits: ClientLimits = ClientLimits())
        throws(StoreError)
    {
        try self.init(url, credentials: credentials, limits: limits, transport: AsyncHTTPTransport())
    }
}

extension RemoteEndpoint {
    init(_ url: RemoteURL, credentials: Credentials? = nil, limits: ReplicationLimits = ReplicationLimits()) {
        self.init(url, credentials: credentials, limits: limits, transport: AsyncHTTPTransport())
    }

    static func couchDB(
        _ url: String, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil
    ) throws(ReplicationError) -> RemoteEndpoint {
        RemoteEndpoint(
            try RemoteURL(url), credentials: credentials, headers: headers, interceptor: interceptor,
            transport: AsyncHTTPTransport())
    }
}
