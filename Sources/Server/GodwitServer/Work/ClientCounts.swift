//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import NIOCore
import Synchronization

/// Counts the light requests in progress: of each client, and of all clients.
///
/// Light requests run on the threads that serve everybody. If one client sends many at a time while others send
/// requests too, its further requests run on the client's lane, as costly requests do. There they wait for each other
/// and not for the requests of others.
///
/// The counters are a table of fixed size, so that a request needs no lock and no memory. Clients with the same hash
/// share a counter, which can only move requests to lanes earlier.
final class ClientCounts: Sendable {
    /// The number of counters: a power of two.
    private static let countersCount = 4_096
    /// The number of light requests of a client that run outside of its lane while others send requests.
    static let togetherMax = 8

    // Proof of `Sendable`: the memory is allocated until the end of the process' use of this object, and each counter
    // is atomic.
    nonisolated(unsafe) private let counters: UnsafeMutablePointer<Atomic<Int>>
    private let total = Atomic(0)

    init() {
        counters = .allocate(capacity: ClientCounts.countersCount)
        for index in 0..<ClientCounts.countersCount { (counters + index).initialize(to: Atomic(0)) }
    }

    deinit {
        counters.deinitialize(count: ClientCounts.countersCount)
        counters.deallocate()
    }

    /// Counts a request that begins.
    ///
    /// - Returns: The counter, for ``end(_:)``, and whether the client has so many requests in progress that this one
    ///   must run on the client's lane.
    func begin(_ principal: Principal, _ channel: any Channel) -> (counter: Int, isCrowding: Bool) {
        let counter = ClientCounts.hash(principal, channel) & (ClientCounts.countersCount - 1)
        let own = counters[counter].add(1, ordering: .relaxed).newValue
        let all = total.add(1, ordering: .relaxed).newValue
        invariant(own > 0 && all > 0, "a request that begins is counted")
        return (counter, own > ClientCounts.togetherMax && all > own)
    }

    /// Counts the end of a request.
    func end(_ counter: Int) {
        let own = counters[counter].subtract(1, ordering: .relaxed).newValue
        let all = total.subtract(1, ordering: .relaxed).newValue
        invariant(own >= 0 && all >= 0, "a request ends once")
    }

    private static func hash(_ principal: Principal, _ channel: any Channel) -> Int {
        var hasher = Hasher()
        if let name = principal.name {
            hasher.combine(name)
        } else {
            // The address without the port: in the socket address of IPv4, bytes 4 to 7; of IPv6, the network of a
            // client, which is the first half of the address, bytes 8 to 15.
            switch channel.remoteAddress {
            case .v4(let peer): withUnsafeBytes(of: peer.address) { hasher.combine(bytes: .init(rebasing: $0[4..<8])) }
            case .v6(let peer): withUnsafeBytes(of: peer.address) { hasher.combine(bytes: .init(rebasing: $0[8..<16])) }
            default: break
            }
        }
        return hasher.finalize()
    }
}
