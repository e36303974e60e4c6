//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// A table of limited size that counts failed logins for ``secondsMax`` seconds.
///
/// Usually, each key has its own entry. A key is a pair of an account and a network, or a network alone. When the table
/// is full, a further key gets no separate entry. Instead, the failures of the key are counted in one of a fixed number
/// of buckets. The network of the key determines the bucket. When expired entries have been removed, the table is no
/// longer full, and keys get their own entries again. The failures in the buckets are then no longer counted for these
/// keys.
///
/// Therefore, an attacker who invents account names cannot clear the failures of another account. An attacker can lock
/// out clients of another network only if this network and the attacker's network share a bucket.
struct FailureTable: Sendable {
    /// The number of seconds for which the failures of a key are counted, beginning with the first failure.
    static let secondsMax = 300.0
    /// The number of entries, including buckets, at which the table is full. Further keys then share buckets.
    static let entriesMax = 10_000
    /// The number of buckets.
    static let bucketsMax = 8_192
    /// The minimum number of seconds between two searches of a full table for expired entries.
    private static let sweepSeconds = 1.0

    /// Identifies a group of failures that are counted together.
    enum Key: Hashable, Sendable {
        case account(name: ExactText, network: String)
        case network(String)
        /// A bucket for keys that have no separate entry because the table is full. Keys with an account and keys with
        /// only a network have separate buckets.
        case accounts(bucket: Int)
        case networks(bucket: Int)
    }

    private struct Failures {
        var count = 0
        let since: Moment

        var isExpired: Bool { since.secondsAgo > FailureTable.secondsMax }
    }

    private var entries: [Key: Failures] = [:]
    private var lastSweep = Moment.distantPast

    var isEmpty: Bool { entries.isEmpty }

    /// The number of unexpired failures that are counted for a key. If the table is full and has no entry for the key,
    /// these are the failures of the key's bucket, which several keys share.
    func count(of key: Key) -> Int {
        guard let failures = entries[countedKey(of: key)], !failures.isExpired else { return 0 }
        return failures.count
    }

    /// Counts a failure.
    mutating func note(_ key: Key) {
        if isFull, entries[key] == nil, lastSweep.secondsAgo > FailureTable.sweepSeconds {
            entries = entries.filter { !$0.value.isExpired }
            lastSweep = .now
        }
        let countedKey = countedKey(of: key)
        if entries[countedKey]?.isExpired == true { entries[countedKey] = nil }
        entries[countedKey, default: Failures(since: .now)].count += 1
        invariant(
            entries.count <= FailureTable.entriesMax + 2 * FailureTable.bucketsMax,
            "the table of failures keeps its limit")
    }

    /// Removes the failures of a key. Shared buckets are unaffected.
    mutating func remove(_ key: Key) { entries[key] = nil }

    // MARK: Buckets

    private var isFull: Bool { entries.count >= FailureTable.entriesMax }

    /// The key under which the failures of `key` are counted: `key` itself, or its bucket when the table is full and
    /// has no entry for `key`.
    private func countedKey(of key: Key) -> Key {
        guard isFull, entries[key] == nil else { return key }
        return switch key {
        case .account(_, let network): .accounts(bucket: FailureTable.bucket(of: network))
        case .network(let network): .networks(bucket: FailureTable.bucket(of: network))
        case .accounts, .networks: key
        }
    }

    /// Returns the number of a network's bucket. The hash function has a random seed in each process. Therefore an
    /// attacker cannot find an address that shares a bucket with a chosen other address.
    private static func bucket(of network: String) -> Int {
        Int(UInt(bitPattern: network.hashValue) % UInt(clamping: bucketsMax))
    }
}
