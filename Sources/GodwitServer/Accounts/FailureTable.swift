//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// Counts failed logins for a while, in a bounded table.
///
/// A full table forgets only what is over: further failures are counted in a fixed number of buckets by network, so that
/// invented names neither clear the failures of another one nor lock out who asks from elsewhere.
struct FailureTable: Sendable {
    /// How long failures count, in seconds.
    static let secondsMax = 300.0
    /// Entries; further ones share buckets.
    static let entriesMax = 10_000
    static let bucketsMax = 8_192
    /// How often a full table is looked through for what is over, in seconds.
    private static let sweepSeconds = 1.0

    /// Whose failures are counted together.
    enum Key: Hashable, Sendable {
        case account(name: String, network: String)
        case network(String)
        /// Of those for which the table had no room: accounts, and networks.
        case accounts(bucket: Int)
        case networks(bucket: Int)
    }

    private struct Failures {
        var count = 0
        let since: Moment

        var isOver: Bool { since.secondsAgo > FailureTable.secondsMax }
    }

    private var entries: [Key: Failures] = [:]
    private var swept = Moment.distantPast

    var isEmpty: Bool { entries.isEmpty }

    /// The failures that count now.
    func count(of key: Key) -> Int {
        guard let failures = entries[position(of: key)], !failures.isOver else { return 0 }
        return failures.count
    }

    /// Counts a failure.
    mutating func note(_ key: Key) {
        if isFull, entries[key] == nil, swept.secondsAgo > FailureTable.sweepSeconds {
            entries = entries.filter { !$0.value.isOver }
            swept = .now
        }
        let position = position(of: key)
        if entries[position]?.isOver == true { entries[position] = nil }
        entries[position, default: Failures(since: .now)].count += 1
    }

    /// Forgets failures.
    mutating func remove(_ key: Key) { entries[key] = nil }

    // MARK: Buckets

    private var isFull: Bool { entries.count >= FailureTable.entriesMax }

    /// Where failures are counted: under their own key while there is room.
    private func position(of key: Key) -> Key {
        guard isFull, entries[key] == nil else { return key }
        return switch key {
        case .account(_, let network): .accounts(bucket: FailureTable.bucket(of: network))
        case .network(let network): .networks(bucket: FailureTable.bucket(of: network))
        case .accounts, .networks: key
        }
    }

    /// The hash is seeded for each process: nobody can choose an address that shares a bucket with another one.
    private static func bucket(of network: String) -> Int {
        Int(UInt(bitPattern: network.hashValue) % UInt(bucketsMax))
    }
}
