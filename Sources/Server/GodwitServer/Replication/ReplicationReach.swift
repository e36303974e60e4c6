//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitClientNIO
import GodwitTransport
import HTTPTypes

// A server that fetches any URL gives its clients access to its network. Therefore principals that are not
// administrators have three restrictions. First, they can replicate only with those remote hosts that are listed in a
// setting (`GuardedTransport` checks each request). Second, they can set only the headers for credentials. Third, error
// messages contain no details of the peer's response. The messages show only whether the peer is a database, and
// whether it accepts the credentials.

extension ReplicationSpec {
    /// The names of the headers that any principal may set in requests to a peer, in lower case.
    private static let freeHeaders = ["authorization", "cookie"]

    private var sides: [Side] { [source, target] }

    /// Whether the source or the target is a remote database.
    var isRemote: Bool { sides.contains { if case .remote = $0 { true } else { false } } }

    /// Checks that a principal's replication may use the network.
    ///
    /// - Parameter hosts: The hosts with which principals who are not administrators may replicate.
    /// - Throws: ``HTTPFailure`` with status 403.
    func checkReach(of principal: Principal, hosts: AllowedHosts) throws(HTTPFailure) {
        guard isRemote, !principal.isAdministrator else { return }
        guard !hosts.isEmpty else {
            throw .forbidden(
                "Only administrators may replicate with a remote database. Name databases of this server without "
                    + "http://, or ask an administrator to list the host in the setting replicator/allowed_hosts.")
        }
        for case .remote(_, _, let headers) in sides {
            for header in headers where !ReplicationSpec.freeHeaders.contains(header.name.lowercasedASCII) {
                throw .forbidden(
                    "Only administrators may set headers other than Authorization and Cookie: remove \(header.name).")
            }
        }
    }
}

extension HTTPFailure {
    /// Creates CouchDB's response to a replication that failed.
    ///
    /// - Parameters:
    ///   - error: The error of the replication.
    ///   - principal: The principal that gets the response. Only administrators get the details of a peer's response.
    ///   - isRemote: Whether the source or the target is a remote database.
    init(replication error: ReplicationError, to principal: Principal, isRemote: Bool) {
        let publicFailure = isRemote && !principal.isAdministrator ? HTTPFailure.withoutDetails(error.code) : nil
        self = publicFailure ?? HTTPFailure(replication: error)
    }

    private init(replication error: ReplicationError) {
        switch error.code {
        case .databaseNotFound: self.init(.notFound, "db_not_found", error.message)
        case .unauthorized: self.init(.unauthorized, "unauthorized", error.message)
        case .invalidURL: self = .badRequest(error.message)
        default: self.init(.internalServerError, "replication_failed", error.message)
        }
    }

    /// Returns a response that contains no details of the peer. Returns `nil` when the error is a failure of this
    /// server, not of the peer.
    private static func withoutDetails(_ code: ReplicationError.Code) -> HTTPFailure? {
        switch code {
        case .network, .untrusted:
            HTTPFailure(.internalServerError, "replication_failed", "The remote database is unreachable.")
        case .unauthorized: .unauthorized("The remote database denied access. Check the name and the password.")
        case .hostRefused:
            .forbidden(
                "This server refused to connect to the remote host. Ask an administrator to list it in the setting "
                    + "replicator/allowed_hosts.")
        case .databaseNotFound, .badResponse, .peerFailed, .tooLarge, .attachmentRefused:
            HTTPFailure(.notFound, "db_not_found", "The remote URL is not a database.")
        default: nil
        }
    }
}
