//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitStore
public import GodwitTransport

/// A database on a server that speaks CouchDB's protocol, used without a local replica.
///
/// Like `Datastore`, `CouchDatabase` conforms to ``DocumentStore``. In addition, it has functions of a server: `find`,
/// indexes, the security object. A `CouchDatabase` is a value. Its copies share the connections and the session.
///
/// ```swift
/// let trips = try CouchDatabase(
///     "https://couch.example/trips", credentials: .session(user: "ana", password: password), transport: transport)
/// var trip = try await trips.create(Document(body: ["type": "trip", "km": 42]))
/// trip.body["km"] = 43
/// trip = try await trips.update(trip)
/// ```
///
/// A `CouchDatabase` caches nothing. It sends a request again in four cases: the server refused the session or the
/// token; the server refused gzip; a response was too large; the interceptor asks for another attempt. If the server
/// refuses a batch of documents, each half of the batch is sent separately. Failures of the transport have the code
/// ``StoreError/Code/unreachable``.
public struct CouchDatabase: DocumentStore {
    let peer: Peer
    /// The limits of requests.
    let limits: ClientLimits

    /// The database's address, without credentials.
    public var url: String { peer.url }

    /// The maximum length of an attachment that is read from a stream, in bytes. The stream is first copied to a
    /// temporary file.
    public static let spooledBytesMax = 4 << 30

    /// The time limit for a document with large attachments, in seconds. A dead connection is detected earlier.
    static let carrySecondsMax = 86_400

    /// Creates a reference to a database. Sends nothing.
    ///
    /// - Parameters:
    ///   - url: The address, `https://host/database`. It may contain credentials, which are removed from it.
    ///   - credentials: The credentials. By default, the credentials in the URL are used.
    ///   - headers: Headers of each request.
    ///   - interceptor: Reads and changes requests, and reads responses.
    ///   - limits: The limits of requests.
    ///   - transport: Sends the requests.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidURL``. The message of the error contains no
    ///   credentials.
    public init(
        _ url: String, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil, limits: ClientLimits = ClientLimits(),
        transport: any Transport
    ) throws(StoreError) {
        try self.init(
            url, credentials: credentials, headers: headers, interceptor: interceptor, limits: limits, packs: nil,
            transport: transport)
    }

    /// Creates a reference to a database. Sends nothing.
    ///
    /// - Parameter packs: Whether JSON is sent with gzip. If this parameter is `nil`, gzip is used only for servers on
    ///   other machines.
    package init(
        _ url: String, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil, limits: ClientLimits = ClientLimits(),
        packs: Bool?, transport: any Transport
    ) throws(StoreError) {
        let address: RemoteURL
        do throws(ReplicationError) {
            address = try RemoteURL(url)
        } catch {
            throw StoreError(.invalidURL, error.message)
        }
        self.limits = limits
        peer = Peer(
            address, credentials: credentials, headers: headers, interceptor: interceptor,
            secondsMax: limits.requestSecondsMax, bytesMax: limits.responseBytesMax, packs: packs,
            transport: transport)
    }

    /// Creates the database.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseExists`` if the database exists,
    ///   ``StoreError/Code/invalidDatabaseName`` if the server does not accept its name.
    public func createDatabase() async throws(StoreError) {
        _ = try await json(.other("creating the database"), "PUT", "")
    }

    /// Deletes the database with all its documents.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound`` if it does not exist.
    public func deleteDatabase() async throws(StoreError) {
        _ = try await json(.other("deleting the database"), "DELETE", "")
    }

    /// See ``DocumentStore/info()``. The sizes are those that the server reports.
    public func info() async throws(StoreError) -> DatabaseInfo {
        let answer = try await json(.other("the database's counters"), "GET", "")
        guard answer.kind(0) == .object, let sequence = answer.member("update_seq", of: 0) else {
            throw nonsense("it is not a database")
        }
        let sizes = answer.member("sizes", of: 0)
        let bytes = { (name: String) in sizes.flatMap { answer.member(name, of: $0) }.flatMap { answer.int($0) } ?? 0 }
        let purges = answer.member("purge_seq", of: 0).map { UpdateSequence(ofPeer: answer.sequence($0)) }
        return DatabaseInfo(
            name: answer.text("db_name", of: 0), documentCount: answer.count("doc_count", of: 0),
            deletedCount: answer.count("doc_del_count", of: 0),
            updateSequence: UpdateSequence(ofPeer: answer.sequence(sequence)), purgeSequence: purges?.number ?? 0,
            fileBytes: bytes("file"), freeBytes: max(0, bytes("file") - bytes("active")),
            bodyBytes: bytes("external"))
    }

    /// See ``DocumentStore/documentCount``.
    public var documentCount: Int { get async throws(StoreError) { try await info().documentCount } }
}
