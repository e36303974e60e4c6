//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitJSON
import GodwitStore
public import GodwitTransport

/// A database on a server that speaks CouchDB's protocol, as one side of a replication.
public struct RemoteEndpoint: DatabaseEndpoint {
    let url: RemoteURL
    let peer: Peer
    let limits: ReplicationLimits
    /// The parameters of the request that creates the database, as the query of a URL; empty for none.
    package var creationParameters = ""

    /// Creates an endpoint for a database on a server.
    ///
    /// - Parameters:
    ///   - url: The address of the database.
    ///   - credentials: The credentials for the server. By default, the credentials in the URL are used.
    ///   - headers: Headers of each request.
    ///   - interceptor: Reads and changes requests, and reads responses.
    ///   - limits: The limits of the replication.
    ///   - transport: Sends the requests.
    public init(
        _ url: RemoteURL, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil, limits: ReplicationLimits = ReplicationLimits(),
        transport: any Transport
    ) {
        self.init(
            url, credentials: credentials, headers: headers, interceptor: interceptor, limits: limits, packs: nil,
            transport: transport)
    }

    /// Creates an endpoint.
    ///
    /// - Parameter packs: Whether JSON is sent with gzip. If this parameter is `nil`, gzip is used only for servers on
    ///   other machines.
    package init(
        _ url: RemoteURL, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil, limits: ReplicationLimits = ReplicationLimits(),
        packs: Bool?, transport: any Transport
    ) {
        self.url = url
        self.limits = limits
        peer = Peer(
            url, credentials: credentials, headers: headers, interceptor: interceptor,
            secondsMax: limits.requestSecondsMax, bytesMax: limits.responseBytesMax, packs: packs,
            transport: transport)
    }

    /// Returns the URL without credentials.
    public func identity() async throws(ReplicationError) -> String { url.description }

    /// See ``DatabaseEndpoint/open(creating:)``.
    public func open(creating: Bool) async throws(ReplicationError) -> String? {
        let answer = try await peer.send("GET", "", bytesMax: limits.answerBytesMax)
        if answer.status == 404, creating {
            // 412: the database exists already. Another client created it in the meantime.
            try peer.check(
                await peer.send(
                    "PUT", creationParameters.isEmpty ? "" : "?\(creationParameters)", bytesMax: limits.answerBytesMax),
                accepting: [201, 202, 412])
            return try await instance()
        }
        return try instance(answer)
    }

    /// See ``DatabaseEndpoint/instance()``. Old servers have the same instance for all databases, which tells nothing.
    public func instance() async throws(ReplicationError) -> String? {
        try instance(await peer.send("GET", "", bytesMax: limits.answerBytesMax))
    }

    private static let instanceOfAll = "0"

    /// The instance in an answer with information about the database.
    private func instance(_ answer: Peer.Answer) throws(ReplicationError) -> String? {
        try peer.check(answer, accepting: [200])
        let tape = try peer.tape(answer)
        guard tape.kind(0) == .object, tape.member("db_name", of: 0) != nil else {
            throw peer.nonsense("it is not a database")
        }
        let instance = tape.text("instance_start_time", of: 0)
        return instance == RemoteEndpoint.instanceOfAll || instance.isEmpty ? nil : instance
    }

    /// See ``DatabaseEndpoint/missing(_:)``.
    public func missing(_ revisions: [RevisionsOfDocument]) async throws(ReplicationError) -> [WantedRevisions] {
        var body: [UInt8] = []
        for document in revisions {
            body.append(UInt8(ascii: body.isEmpty ? "{" : ","))
            JSONWriter.appendQuoted(document.id, to: &body)
            body.append(raw: ":[")
            for (index, revision) in document.revisions.enumerated() {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                body.append(quotedPlain: revision.description)
            }
            body.append(UInt8(ascii: "]"))
        }
        body.append(raw: body.isEmpty ? "{}" : "}")
        let answer = try await peer.json("POST", "_revs_diff", body: body, bytesMax: limits.answerBytesMax)
        guard answer.kind(0) == .object else { throw peer.nonsense("the response to _revs_diff is not an object") }
        var wanted: [WantedRevisions] = []
        for (key, value) in answer.members(of: 0) {
            // Any other object must not be treated as a response that lists no missing revisions. If it were, documents
            // would not be replicated.
            guard answer.kind(value) == .object, answer.member("missing", of: value) != nil else {
                throw peer.nonsense("the response to _revs_diff does not list the missing revisions")
            }
            let missing = answer.revisions("missing", of: value)
            guard !missing.isEmpty else { continue }
            wanted.append(
                WantedRevisions(
                    id: answer.string(key), revisions: missing,
                    knownAncestors: answer.revisions("possible_ancestors", of: value)))
        }
        return wanted
    }

    // MARK: Checkpoints

    /// The number of attempts to save a checkpoint that another client changes at the same time.
    private static let checkpointAttemptsMax = 3

    /// See ``DatabaseEndpoint/designDocument(_:)``.
    public func designDocument(_ name: String) async throws(ReplicationError) -> JSONObject? {
        let answer = try await peer.send("GET", "_design/\(name.percentEncoded)", bytesMax: limits.answerBytesMax)
        guard answer.status != 404 else { return nil }
        try peer.check(answer, accepting: [200])
        return try? JSONValue(parsing: answer.body).objectValue
    }

    /// See ``DatabaseEndpoint/checkpoint(_:)``.
    public func checkpoint(_ id: String) async throws(ReplicationError) -> JSONObject? {
        let answer = try await peer.send("GET", "_local/\(id.percentEncoded)", bytesMax: limits.answerBytesMax)
        guard answer.status != 404 else { return nil }
        try peer.check(answer, accepting: [200])
        // A checkpoint that cannot be parsed or compared is treated as absent, so the replication starts from the
        // beginning and saves a new checkpoint.
        guard !CombiningMarks.areTooMany(inJSON: answer.body) else { return nil }
        return try? JSONValue(parsing: answer.body).objectValue
    }

    /// See ``DatabaseEndpoint/saveCheckpoint(_:_:)``.
    public func saveCheckpoint(_ id: String, _ body: JSONObject) async throws(ReplicationError) {
        var body = body
        for attempt in 1... {
            if body["_rev"] == nil || attempt > 1 { body["_rev"] = try await checkpoint(id)?["_rev"] }
            let answer = try await peer.send(
                "PUT", "_local/\(id.percentEncoded)", body: JSONValue.object(body).jsonBytes(),
                bytesMax: limits.answerBytesMax)
            if answer.status == 409, attempt < RemoteEndpoint.checkpointAttemptsMax { continue }
            return try peer.checkDone(answer)
        }
    }
}

extension DatabaseEndpoint where Self == RemoteEndpoint {
    /// Creates an endpoint for a database on a server that speaks CouchDB's protocol.
    ///
    /// - Parameters:
    ///   - url: The address, `https://host/database`. Credentials in the address are removed from it, and are used if
    ///     `credentials` is not given.
    ///   - credentials: The credentials for the server. By default, the credentials in the URL are used.
    ///   - headers: Headers of each request.
    ///   - interceptor: Reads and changes requests, and reads responses.
    ///   - transport: Sends the requests.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidURL``.
    public static func couchDB(
        _ url: String, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil, transport: any Transport
    ) throws(ReplicationError) -> RemoteEndpoint {
        RemoteEndpoint(
            try RemoteURL(url), credentials: credentials, headers: headers, interceptor: interceptor,
            transport: transport)
    }
}
