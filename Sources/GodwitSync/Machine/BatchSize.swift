//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How many revisions to ask for at a time: as many as the peer gives in good time, and as fit.
struct BatchSize: Sendable {
    /// A batch that took less than this is followed by a larger one, in seconds.
    private static let shortSeconds = 0.5
    /// A batch that took more than this is followed by a smaller one, in seconds.
    private static let longSeconds = 4.0
    private static let first = 100
    private static let least = 10

    /// As it is now.
    private(set) var count: Int
    private let countMax: Int
    private let bytesMax: Int
    /// What a document weighs, on the average of late.
    private(set) var documentBytes = 512

    init(countMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.bytesMax = bytesMax
        count = min(BatchSize.first, countMax)
    }

    /// The revisions of the next batch.
    var next: Int { max(1, min(count, bytesMax / max(documentBytes, 1))) }

    /// Takes note of a batch that did not get through.
    mutating func broke() { count = max(1, count / 2) }

    /// Takes note of a batch.
    mutating func took(_ seconds: Double, asked: Int, documents: Int, bytes: Int) {
        if documents > 0 { documentBytes = (documentBytes * 3 + bytes / documents) / 4 + 1 }
        if seconds > BatchSize.longSeconds {
            count = max(BatchSize.least, count / 2)
        } else if seconds < BatchSize.shortSeconds, asked >= next {
            count = min(countMax, count * 2)
        }
    }
}
