//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The number of documents that were written in this process.
package enum WriteCount {
    private static let counted = Atomic<Int>(0)

    /// The number of written documents, of all databases.
    package static var documents: Int { counted.load(ordering: .relaxed) }

    static func add(_ count: Int) { counted.add(count, ordering: .relaxed) }
}
