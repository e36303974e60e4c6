//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation

/// Conversion to milliseconds.
extension Duration {
    /// The duration in milliseconds, rounded down.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}

/// The current time.
package enum WallClock {
    /// The time in seconds since 1970, rounded down.
    package static var seconds: Int { Int(Date().timeIntervalSince1970) }

    /// The time in milliseconds since 1970, rounded down.
    package static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// The time in microseconds since 1970, rounded down.
    static var microseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000) }

    /// The time in ISO 8601 format, to the second.
    static var text: String { Date.now.formatted(.iso8601) }

    /// Parses a text in ISO 8601 format and returns its time in seconds since 1970; `nil` for another text.
    static func seconds(of text: String) -> Int? {
        (try? Date(text, strategy: .iso8601)).map { Int(saturating: $0.timeIntervalSince1970) }
    }
}
