//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// Generates ids for documents that clients save without an id, by the setting `uuids/algorithm`.
enum DocumentIDs {
    /// CouchDB's algorithms.
    enum Algorithm: String, CaseIterable, Sendable {
        /// Each id is greater than the id generated before it. Therefore documents that are created one after another
        /// are adjacent in indexes.
        case sequential
        /// 128 random bits.
        case random
        /// The time in microseconds, then 72 random bits.
        case utcRandom = "utc_random"
        /// The time in microseconds, then the setting `uuids/utc_id_suffix`.
        case utcID = "utc_id"
    }

    /// Generates an id.
    static func next(_ options: ServerOptions) -> String {
        switch options.idAlgorithm {
        case .sequential: DocumentID.random()
        case .random: randomDigits(32)
        case .utcRandom: time + randomDigits(18)
        case .utcID: time + options.idSuffix
        }
    }

    /// The time in the last generated id. The time in the next id is always greater.
    private static let lastTime = Mutex<Int64>(0)

    /// The time in microseconds as fourteen hexadecimal digits.
    private static var time: String {
        let microseconds = lastTime.withLock { lastTime in
            lastTime = max(WallClock.microseconds, lastTime + 1)
            return lastTime
        }
        let digits = String(microseconds, radix: 16)
        return String(repeating: "0", count: max(0, 14 - digits.count)) + digits
    }

    private static func randomDigits(_ count: Int) -> String {
        // Bounded: the literal is not empty.
        String((0..<count).map { _ in "0123456789abcdef".randomElement()! })
    }
}
