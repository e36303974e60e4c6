//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClientNIO
import GodwitStore
import GodwitSync
import GodwitTransport

/// A transport that sends requests to a real server, except those that a closure answers.
struct DoctoredTransport: Transport {
    /// Changes a request, or answers it in place of the server. If it returns `nil`, the changed request is sent. An
    /// error that it throws becomes a failure of the network.
    let doctor: @Sendable (inout TransportRequest) async throws -> (status: Int, body: String)?

    init(_ doctor: @escaping @Sendable (inout TransportRequest) async throws -> (status: Int, body: String)?) {
        self.doctor = doctor
    }

    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        var request = request
        let answer: (status: Int, body: String)?
        do {
            answer = try await doctor(&request)
        } catch {
            throw ReplicationError(.network, "\(error)")
        }
        guard let (status, body) = answer else { return try await AsyncHTTPTransport().send(request) }
        let pieces = AsyncThrowingStream<[UInt8], any Error> { stream in
            stream.yield(Array(body.utf8))
            stream.finish()
        }
        return TransportResponse(status: status, body: pieces)
    }
}

/// Runs `body` with a source and a target. One of them, chosen by `isSource`, is behind a server. The requests to this
/// server pass through `transport`.
func withDoctored(
    _ transport: DoctoredTransport, isSource: Bool = true,
    credentials: Credentials = .basic(user: "admin", password: "secret"), path: String = "",
    _ change: @escaping @Sendable (inout ReplicationLimits) -> Void = { _ in },
    _ body: @escaping @Sendable (_ source: Datastore, _ target: Datastore, Replicator) async throws -> Void
) async throws {
    try await withManager { manager in
        let source = try await manager.datastore(named: "source")
        let target = try await manager.datastore(named: "target")
        try await withServer(of: manager) { address in
            var limits = ReplicationLimits()
            limits.retrySeconds = 0.001
            change(&limits)
            let remote = RemoteEndpoint(
                try RemoteURL("\(address)\(path)/\(isSource ? "source" : "target")"), credentials: credentials,
                limits: limits, transport: transport)
            let replicator =
                isSource
                ? Replicator(.pull, target, with: remote, limits: limits)
                : Replicator(.push, source, with: remote, limits: limits)
            try await body(source, target, replicator)
        }
    }
}

extension Datastore {
    /// Creates a document for each number, with the ids `d0`, `d1` and so on, in one transaction.
    func fill(_ numbers: Range<Int>) async throws {
        let limits = limits
        let documents = try numbers.map { number in
            try IncomingDocument(
                parsing: Array(#"{"_id":"d\#(number)","_rev":"1-\#(number)","n":\#(number)}"#.utf8),
                purpose: .replication, limits: limits)
        }
        _ = try await transact { transaction in for document in documents { _ = try transaction.graft(document) } }
    }
}
