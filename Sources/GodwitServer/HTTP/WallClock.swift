//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The clock on the wall.
extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}

package enum WallClock {
    /// Whole seconds since 1970.
    package static var seconds: Int { Int(Date().timeIntervalSince1970) }

    /// Whole milliseconds since 1970.
    package static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// Whole microseconds since 1970.
    static var microseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000) }

    /// The time in the form of ISO 8601, to the second.
    static var text: String { Date.now.formatted(.iso8601) }
}
