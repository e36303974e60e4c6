//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits on the size of a predicate.
public enum PredicateLimits {
    /// The maximum length of a format in bytes of UTF-8.
    public static let formatBytesMax = 65_536
    /// The maximum nesting of conditions, parentheses and negations.
    public static let depthMax = 32
    /// The maximum nesting of the blank values that are created during the search for the name of a field.
    static let fieldProbeDepthMax = 16
}
