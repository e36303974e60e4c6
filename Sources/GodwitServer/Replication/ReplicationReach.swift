//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitClientNIO
import HTTPTypes

// A server that fetches what anybody names lends them its place in the network. So others than administrators replicate
// with remote databases only where a setting lists the host (`GuardedTransport` checks it at each request), choose no
// headers beside their credentials, and are told of a peer no more than whether it is a database that lets them in.

extension ReplicationSpec {
    /// Headers that others than administrators may choose for requests to a peer.
    private static let freeHeaders = ["authorization", "cookie"]

    private var sides: [Side] { [source, target] }

    /// Whether a side is a database elsewhere.
    var isRemote: Bool { sides.contains { if case .remote = $0 { true } else { false } } }

    /// Lets a principal's replication use the network.
    ///
    /// - Parameter hosts: The hosts that others than administrators may reach.
    /// - Throws: ``HTTPFailure`` with status 403.
    func checkReach(of principal: Principal, hosts: AllowedHosts) throws(HTTPFailure) {
        guard isRemote, !principal.isAdministrator else { return }
        guard !hosts.isEmpty else {
            throw .forbidden(
                "Only administrators replicate with a remote database. Name databases of this server without http://, "
                    + "or ask an administrator to list the host in the setting replicator/allowed_hosts.")
        }
        for case .remote(_, _, let headers) in sides {
            for header in headers where !ReplicationSpec.freeHeaders.contains(header.name.lowercased()) {
                throw .forbidden(
                    "Only administrators choose headers other than Authorization and Cookie: leave \(header.name) out.")
            }
        }
    }
}

extension HTTPFailure {
    /// CouchDB's answer for a replication that failed as a whole.
    ///
    /// - Parameters:
    ///   - error: Why it failed.
    ///   - principal: Who is told. Others than administrators are not told what a peer said.
    ///   - isRemote: Whether there is a peer.
    init(replication error: ReplicationError, to principal: Principal, isRemote: Bool) {
        let told = isRemote && !principal.isAdministrator ? HTTPFailure.reticent(error.code) : nil
        self = told ?? HTTPFailure(replication: error)
    }

    private init(replication error: ReplicationError) {
        switch error.code {
        case .databaseNotFound: self.init(.notFound, "db_not_found", error.message)
        case .unauthorized: self.init(.unauthorized, "unauthorized", error.message)
        case .invalidURL: self = .badRequest(error.message)
        default: self.init(.internalServerError, "replication_failed", error.message)
        }
    }

    /// What is told of a failure at a peer; `nil` for a failure at this side.
    private static func reticent(_ code: ReplicationError.Code) -> HTTPFailure? {
        switch code {
        case .network, .untrusted:
            HTTPFailure(.internalServerError, "replication_failed", "The remote database is unreachable.")
        case .unauthorized: .unauthorized("The remote database refused the access. Check name and password.")
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
