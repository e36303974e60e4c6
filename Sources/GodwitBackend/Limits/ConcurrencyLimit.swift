//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitThreads

/// Limits the operations of one kind in progress: in all, and per network, so that one network cannot use them all.
final class ConcurrencyLimit: Sendable {
    private let countMax: Int
    private let networkCountMax: Int
    private let running = Mutex<(all: Int, networks: [String: Int])>((0, [:]))

    init(countMax: Int, networkCountMax: Int) {
        (self.countMax, self.networkCountMax) = (countMax, networkCountMax)
    }

    /// Runs an operation.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/tooManyRequests`` when too many operations are in
    ///   progress; errors of the operation.
    func run<Result>(from address: String, _ operation: () async throws -> Result) async throws -> Result {
        let network = HostAddress.network(of: address)
        let isFree = running.withLock { running in
            guard running.all < countMax, running.networks[network, default: 0] < networkCountMax else { return false }
            running.all += 1
            running.networks[network, default: 0] += 1
            return true
        }
        guard isFree else {
            throw AccountError(.tooManyRequests, "Too many logins wait for a provider. Try again.", retrySeconds: 1)
        }
        defer {
            running.withLock { running in
                running.all -= 1
                let count = running.networks[network, default: 1] - 1
                running.networks[network] = count > 0 ? count : nil
            }
        }
        return try await operation()
    }
}
