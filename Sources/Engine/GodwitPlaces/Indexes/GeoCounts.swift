//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import struct Synchronization.Atomic

/// Counters of this process's geospatial indexing, with Cloudant's names.
package enum GeoCounts {
    private static let processed = Atomic<Int>(0)
    private static let emitted = Atomic<Int>(0)
    private static let crashed = Atomic<Int>(0)

    /// The number of documents that were processed.
    package static var documentsProcessed: Int { processed.load(ordering: .relaxed) }
    /// The number of geometries that were indexed.
    package static var emits: Int { emitted.load(ordering: .relaxed) }
    /// The number of geometries that could not be indexed.
    package static var crashes: Int { crashed.load(ordering: .relaxed) }

    static func count(_ entries: GeoEntries) {
        processed.add(1, ordering: .relaxed)
        if !entries.entries.isEmpty { emitted.add(entries.entries.count, ordering: .relaxed) }
        if entries.skipped > 0 { crashed.add(entries.skipped, ordering: .relaxed) }
    }
}
