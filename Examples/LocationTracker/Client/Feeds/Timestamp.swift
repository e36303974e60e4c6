//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// The times that sources write.
enum Timestamp {
    /// From the start of 1970 to that of 2001.
    private static let secondsBefore2001 = 978_307_200.0

    /// A time of ISO 8601 with its offset or `Z`, in milliseconds since 1970; `nil` for anything else.
    static func milliseconds(_ text: String) -> Int64? {
        ISO8601.seconds(text).map { Int64((($0 + secondsBefore2001) * 1_000).rounded()) }
    }
}
