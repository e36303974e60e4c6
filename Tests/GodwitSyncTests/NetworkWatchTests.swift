//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitStore
import GodwitSync
import TestKit
import Testing

/// An address that is added to the loopback interface and removed, which needs root rights on Linux.
private enum PassingAddress {
    static let mayCome: Bool = {
        defer { _ = try? ip("del") }
        return (try? ip("add")) == true
    }()

    @discardableResult
    static func ip(_ verb: String) throws -> Bool {
        try ChildProcess("/usr/bin/env", ["ip", "address", verb, "127.0.0.77/8", "dev", "lo"]).wait() == 0
    }
}

@Suite("Changes of the network", .endsWhenHung, .serialized)
struct NetworkWatchTests {
    /// Runs a continuous pull with a retry delay of an hour, first without a network. When the network is back, adds an
    /// address.
    ///
    /// - Returns: Whether the pull copies the documents soon after the address was added.
    private func comesBack(watching: Bool) async throws -> Bool {
        let hasNetwork = Mutex(false)
        let result = Mutex(false)
        let transport = DoctoredTransport { _ in
            guard hasNetwork.withLock({ $0 }) else { throw CancellationError() }
            return nil
        }
        try await withDoctored(transport) {
            ($0.retrySeconds, $0.retrySecondsMax) = (3_600, 3_600)
        } _: { source, target, replicator in
            try await source.fill(0..<3)
            var replicator = replicator
            replicator.isContinuous = true
            replicator.watchesNetwork = watching
            let run = replicator.start()
            try await eventually { run.state == .offline }
            hasNetwork.withLock { $0 = true }
            try PassingAddress.ip("add")
            for _ in 0..<(watching ? 500 : 100) where try target.documentCount < 3 {
                try await Task.sleep(for: .milliseconds(20))
            }
            try PassingAddress.ip("del")
            let count = try target.documentCount
            result.withLock { $0 = count == 3 }
            run.stop()
            _ = try await run.report()
        }
        return result.withLock { $0 }
    }

    @Test(
        "A continuous run that waits for a network continues when an address appears, if configured",
        .enabled(if: PassingAddress.mayCome), arguments: [true, false])
    func addressComes(watching: Bool) async throws {
        #expect(try await comesBack(watching: watching) == watching)
    }
}
