//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Adapts the number of items in a request to the speed of the server and to the size of the documents. The items are
/// documents to read, or revisions to write.
struct BatchSize: Sendable {
    /// If a batch takes less than this number of seconds, the next batch is larger.
    private static let shortSeconds = 0.5
    /// If a batch takes more than this number of seconds, the next batch is smaller, but not smaller than
    /// ``minimumCount``.
    private static let longSeconds = 4.0
    private static let startCount = 100
    private static let minimumCount = 10

    /// The current number of items.
    private(set) var count: Int
    private let countMax: Int
    private let bytesMax: Int
    /// The average size of recent documents, in bytes.
    private(set) var documentBytes = 512

    init(countMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.bytesMax = bytesMax
        count = min(BatchSize.startCount, countMax)
    }

    /// The number of items of the next batch: ``count``, or fewer if the documents are large.
    var next: Int { max(1, min(count, bytesMax / max(documentBytes, 1))) }

    /// Records a batch that failed.
    mutating func broke() { count = max(1, count / 2) }

    /// Records a batch that succeeded.
    mutating func took(_ seconds: Double, asked: Int, documents: Int, bytes: Int) {
        if documents > 0 { documentBytes = (documentBytes * 3 + bytes / documents) / 4 + 1 }
        if seconds > BatchSize.longSeconds {
            // After failures, the count may already be below the minimum.
            count = min(count, max(BatchSize.minimumCount, count / 2))
        } else if seconds < BatchSize.shortSeconds, asked >= next {
            count = min(countMax, count * 2)
        }
        invariant(count > 0 && count <= max(countMax, 1), "a batch has an item, and no more than its limit")
        invariant(documentBytes > 0, "the average size of a document is not 0")
    }
}
