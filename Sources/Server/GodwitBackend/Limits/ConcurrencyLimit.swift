//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitTransport

/// Limits the number of concurrent operations of one kind. There are three limits: in total, for each network, and for
/// each peer for which operations wait. Therefore the operations of one network or for one slow peer cannot reach the
/// total limit alone.
final class ConcurrencyLimit: Sendable {
    private let countMax: Int
    private let networkCountMax: Int
    private let peerCountMax: Int
    private let running = Mutex<(all: Int, networks: [String: Int], peers: [String: Int])>((0, [:], [:]))

    init(countMax: Int, networkCountMax: Int, peerCountMax: Int) {
        (self.countMax, self.networkCountMax, self.peerCountMax) = (countMax, networkCountMax, peerCountMax)
    }

    /// Runs an operation.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/tooManyRequests`` when too many operations are in
    ///   progress; errors of the operation.
    func run<Result>(
        from address: String, for peer: String, _ operation: () async throws -> Result
    ) async throws -> Result {
        let network = HostAddress.network(of: address)
        let isFree = running.withLock { running in
            guard running.all < countMax, running.networks[network, default: 0] < networkCountMax,
                running.peers[peer, default: 0] < peerCountMax
            else { return false }
            running.all += 1
            running.peers[peer, default: 0] += 1
            running.networks[network, default: 0] += 1
            return true
        }
        guard isFree else {
            throw AccountError(.tooManyRequests, "Too many logins wait for a provider. Try again.", retrySeconds: 1)
        }
        defer {
            running.withLock { running in
                running.all -= 1
                invariant(running.all >= 0, "an operation that ends has begun")
                invariant(
                    running.networks[network] != nil && running.peers[peer] != nil,
                    "an operation is counted for its network and its peer")
                let count = running.networks[network, default: 1] - 1
                running.networks[network] = count > 0 ? count : nil
                let peerCount = running.peers[peer, default: 1] - 1
                running.peers[peer] = peerCount > 0 ? peerCount : nil
            }
        }
        return try await operation()
    }
}
