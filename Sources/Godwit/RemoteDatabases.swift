//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient
public import GodwitStore
public import GodwitSync
import GodwitURLSession

extension CouchDatabase {
    /// Creates a client of a database that sends its requests over `URLSession`. It sends no request yet.
    ///
    /// - Parameters:
    ///   - url: The URL of the database, `https://host/database`. Credentials in it are removed from it.
    ///   - credentials: The credentials; by default those in the URL.
    ///   - headers: Headers for each request.
    ///   - interceptor: Reads and changes requests, and reads responses.
    ///   - limits: Limits for the size and the duration of requests.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidURL``, with a message without credentials.
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
    /// Creates an endpoint for a remote database that sends its requests over `URLSession`.
    ///
    /// - Parameters:
    ///   - url: The URL of the database.
    ///   - credentials: The credentials; by default those in the URL.
    ///   - headers: Headers for each request.
    ///   - interceptor: Reads and changes requests, and reads responses.
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
    /// Creates an endpoint for a database of CouchDB, or of another server that supports its protocol.
    ///
    /// - Parameters:
    ///   - url: The URL of the database, `https://host/database`. Credentials in it are removed from it.
    ///   - credentials: The credentials; by default those in the URL.
    ///   - headers: Headers for each request.
    ///   - interceptor: Reads and changes requests, and reads responses.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidURL``.
    public static func couchDB(
        _ url: String, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil
    ) throws(ReplicationError) -> RemoteEndpoint {
        RemoteEndpoint(try RemoteURL(url), credentials: credentials, headers: headers, interceptor: interceptor)
    }
}
