//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a query may cost.
public enum QueryLimits {
    /// The longest predicate format, in bytes of UTF-8.
    public static let predicateFormatBytesMax = 65_536
}
