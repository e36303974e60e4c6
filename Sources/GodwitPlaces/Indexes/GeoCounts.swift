//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import struct Synchronization.Atomic

/// What geospatial indexes of this process have done since it started, in Cloudant's words.
package enum GeoCounts {
    private static let processed = Atomic<Int>(0)
    private static let emitted = Atomic<Int>(0)
    private static let crashed = Atomic<Int>(0)

    /// How many documents were looked at.
    package static var documentsProcessed: Int { processed.load(ordering: .relaxed) }
    /// How many geometries they gave.
    package static var emits: Int { emitted.load(ordering: .relaxed) }
    /// How many geometries could not be indexed.
    package static var crashes: Int { crashed.load(ordering: .relaxed) }

    static func count(_ entries: GeoEntries) {
        processed.add(1, ordering: .relaxed)
        if !entries.entries.isEmpty { emitted.add(entries.entries.count, ordering: .relaxed) }
        if entries.skipped > 0 { crashed.add(entries.skipped, ordering: .relaxed) }
    }
}
