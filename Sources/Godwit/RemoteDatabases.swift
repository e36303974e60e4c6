//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient
public import GodwitStore
public import GodwitSync
import GodwitURLSession

extension CouchDatabase {
    /// Names a database that is asked over `URLSession`. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - url: Its address, `https://host/database`; credentials in it are taken out at once.
    ///   - credentials: Who we are; by default what the URL said.
    ///   - headers: Headers for each request.
    ///   - interceptor: Looks at requests and answers.
    ///   - limits: How much is asked for and sent at once, and how long it may take.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidURL``, its message without credentials.
    public init(
        _ url: String, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil, limits: ClientLimits = ClientLimits()
    ) throws(StoreError) {
        try self.init(
            url, credentials: credentials, headers: headers, interceptor: interceptor, limits: limits,
            transport: URLSessionTransport())
    }
}

extension RemoteEndpoint {
    /// Creates an endpoint for a database elsewhere.
    ///
    /// - Parameters:
    ///   - url: Its address.
    ///   - credentials: Who we are; by default what the URL said.
    ///   - headers: Headers for each request.
    ///   - interceptor: Looks at requests and answers.
    ///   - limits: The limits of the replication.
    public init(
        _ url: RemoteURL, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil, limits: ReplicationLimits = ReplicationLimits()
    ) {
        self.init(
            url, credentials: credentials, headers: headers, interceptor: interceptor, limits: limits,
            transport: URLSessionTransport())
    }
}

extension DatabaseEndpoint where Self == RemoteEndpoint {
    /// A database of a CouchDB, or of anything that speaks its protocol.
    ///
    /// - Parameters:
    ///   - url: Its address, `https://host/database`; credentials in it are taken out at once.
    ///   - credentials: Who we are; by default what the URL said.
    ///   - headers: Headers for each request.
    ///   - interceptor: Looks at requests and answers.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidURL``.
    public static func couchDB(
        _ url: String, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil
    ) throws(ReplicationError) -> RemoteEndpoint {
        RemoteEndpoint(try RemoteURL(url), credentials: credentials, headers: headers, interceptor: interceptor)
    }
}
