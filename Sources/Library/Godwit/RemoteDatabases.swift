//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitAccess
public import GodwitStore
public import GodwitSync
public import GodwitTransport
import GodwitURLSession

extension CouchDatabase {
    /// Creates a client of a database, which sends its requests over `URLSession`. The initializer sends no request.
    ///
    /// - Parameters:
    ///   - url: The URL of the database, `https://host/database`. The stored URL does not contain the credentials.
    ///   - credentials: The credentials. By default, the credentials in the URL.
    ///   - headers: Headers for each request.
    ///   - interceptor: Reads and changes requests, and reads responses.
    ///   - limits: Limits for the size and the duration of requests.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidURL``. Its message contains no credentials.
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
    /// Creates an endpoint for a remote database. The endpoint sends its requests over `URLSession`.
    ///
    /// - Parameters:
    ///   - url: The URL of the database.
    ///   - credentials: The credentials. By default, the credentials in the URL.
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
    ///   - url: The URL of the database, `https://host/database`. The stored URL does not contain the credentials.
    ///   - credentials: The credentials. By default, the credentials in the URL.
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

extension AccessManager {
    /// Creates a manager that sends its requests over `URLSession`. The initializer sends no request.
    ///
    /// - Parameters:
    ///   - server: The URL of the server, `https://host`.
    ///   - application: The id of the application.
    ///   - device: The details of the device for the list of the user's devices.
    ///   - version: The version of the app; `nil` if the application does not check versions.
    ///   - storage: Stores the session. By default, the session is not stored, and the user logs in after each start.
    ///   - wiping: The data that is deleted, in the order of the list, when the device is reported lost. Databases must
    ///     be listed before their keys.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidURL``.
    public init(
        server: String, application: String, device: AppDevice = AppDevice(), version: String? = nil,
        storage: any SessionStorage = MemorySessionStorage(), wiping: [any WipeableData] = []
    ) throws(ReplicationError) {
        try self.init(
            server: server, application: application, device: device, version: version, storage: storage,
            wiping: wiping, transport: URLSessionTransport())
    }
}

extension BluelistSession {
    /// Creates a session that sends its requests over `URLSession`. The initializer sends no request.
    ///
    /// - Parameters:
    ///   - adapter: The URL of the adapter, for example `https://host/bluelist`.
    ///   - tokens: Provides the user's access tokens.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidURL``.
    public init(adapter: String, tokens: any AccessTokenSource) throws(ReplicationError) {
        try self.init(adapter: adapter, tokens: tokens, transport: URLSessionTransport())
    }
}
