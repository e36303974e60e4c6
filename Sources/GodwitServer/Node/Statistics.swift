//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// What the server counts of its requests since it started.
final class Statistics: Sendable {
    struct Counts: Sendable {
        var requests = 0
        var methods: [String: Int] = [:]
        var statuses: [Int: Int] = [:]
        var seconds = 0.0
        var slowest = 0.0
    }

    let started = WallClock.seconds
    private let counts = Mutex(Counts())

    /// Methods that are counted by name; others are counted together.
    private static let methods: Set<String> = ["COPY", "DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]

    /// Counts one request.
    func count(_ method: HTTPRequest.Method, status: Int, time: Duration) {
        let name = Statistics.methods.contains(method.rawValue) ? method.rawValue : "OTHER"
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        counts.withLock { counts in
            counts.requests += 1
            counts.methods[name, default: 0] += 1
            counts.statuses[status, default: 0] += 1
            counts.seconds += seconds
            counts.slowest = max(counts.slowest, seconds)
        }
    }

    /// What was counted until now.
    var current: Counts { counts.withLock { $0 } }
}
