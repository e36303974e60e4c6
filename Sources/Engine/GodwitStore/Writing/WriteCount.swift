//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Counts the document changes that this process committed.
package enum WriteCount {
    private static let counted = Atomic<Int>(0)

    /// The number of changes in all databases. A document that changed twice is counted twice.
    package static var documents: Int { counted.load(ordering: .relaxed) }

    static func add(_ count: Int) { counted.add(count, ordering: .relaxed) }
}
