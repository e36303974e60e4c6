//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AsyncHTTPClient
import GodwitBase
package import GodwitTransport
import NIOCore

// A server that replicates for its users must not give them access to its internal network. A name can resolve to any
// address, and to another address at each lookup (DNS rebinding). Therefore, checking only the name is not sufficient.
// For plain HTTP, the name is resolved here, its addresses are checked, and the request is sent to a checked address.
// For TLS, the peer must prove its name by its certificate. Therefore, the client receives the name, not an address.
// The name's addresses are checked before the request. The address of the connection is checked again when the
// connection is made.

/// Restricts connections to the hosts of a list. One guard serves many replications.
package final class PeerGuard: Sendable {
    /// Returns the current list.
    let allowed: @Sendable () -> AllowedHosts
    let client: HTTPClient

    /// Creates a guard.
    ///
    /// - Parameter allowed: A closure that returns the list. The closure is called for each request and each
    ///   connection.
    package init(_ allowed: @escaping @Sendable () -> AllowedHosts) {
        self.allowed = allowed
        client = AsyncHTTPTransport.client { channel in
            guard let remote = channel.remoteAddress, let address = HostAddress(remote),
                allowed().mayPermit(address, port: remote.port ?? 0)
            else {
                channel.close(promise: nil)
                return channel.eventLoop.makeFailedFuture(ReplicationError.hostRefused)
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    deinit { client.shutdown { _ in } }
}

/// A transport that sends requests only to the hosts that a guard permits. It follows no redirects.
package final class GuardedTransport: Transport {
    /// The time in seconds for which the addresses of a name are cached.
    private static let resolvedSecondsMax = 30

    private struct Resolved {
        let authority: PeerAuthority
        var addresses: [HostAddress]
        let expiry: ContinuousClock.Instant
    }

    private let peers: PeerGuard
    private let transport: AsyncHTTPTransport
    private let resolved = Mutex<Resolved?>(nil)

    /// Creates a transport that uses a guard.
    package init(_ peers: PeerGuard) {
        self.peers = peers
        transport = AsyncHTTPTransport(client: peers.client)
    }

    /// See ``Transport/send(_:)``.
    ///
    /// - Throws: ``ReplicationError``, with code ``ReplicationError/Code/hostRefused`` when the URL is invalid, or when
    ///   the list does not permit the host or its addresses. With `https`, all addresses of the host must be permitted;
    ///   with `http`, one is sufficient.
    package func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        guard let authority = PeerAuthority(of: request.url) else { throw .hostRefused }
        let address = try await address(of: authority)
        var request = request
        if !authority.isSecure {
            request.url = authority.url(at: address)
            request.headers.insert(("Host", authority.text), at: 0)
        }
        do throws(ReplicationError) {
            return try await transport.send(request)
        } catch {
            if error.code == .network { avoid(address) }
            throw error
        }
    }

    /// Returns the first permitted address of a host.
    private func address(of authority: PeerAuthority) async throws(ReplicationError) -> HostAddress {
        let allowed = peers.allowed()
        guard allowed.mayPermit(authority) else { throw .hostRefused }
        let addresses = try await addresses(of: authority)
        guard !addresses.isEmpty else {
            throw ReplicationError(
                .network, "the host name \(authority.host) is unknown. Check the name and the network.")
        }
        let permitted = allowed.permitted(addresses, of: authority)
        // With TLS, the client gets the name and chooses one of its addresses. Therefore, all addresses of the name
        // must be permitted.
        guard let first = permitted.first, !authority.isSecure || permitted.count == addresses.count else {
            throw .hostRefused
        }
        return first
    }

    private func addresses(of authority: PeerAuthority) async throws(ReplicationError) -> [HostAddress] {
        if let cached = resolved.withLock({ $0 }), cached.authority == authority, cached.expiry > .now {
            return cached.addresses
        }
        do {
            let addresses = try await HostAddress.all(of: authority.host)
            resolved.withLock {
                $0 = Resolved(
                    authority: authority, addresses: addresses,
                    expiry: .now + .seconds(GuardedTransport.resolvedSecondsMax))
            }
            return addresses
        } catch {
            throw ReplicationError(reading: error, authority.host)
        }
    }

    /// Moves an address to the end of the list, so that the next request uses another address.
    private func avoid(_ address: HostAddress) {
        resolved.withLock { resolved in
            guard let index = resolved?.addresses.firstIndex(of: address) else { return }
            resolved?.addresses.remove(at: index)
            resolved?.addresses.append(address)
        }
    }
}

extension ReplicationError {
    static let hostRefused = ReplicationError(
        .hostRefused, "this server does not allow its users to replicate with this host. An administrator can allow it."
    )
}
