//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a predicate may cost.
public enum PredicateLimits {
    /// The longest format, in bytes of UTF-8.
    public static let formatBytesMax = 65_536
    /// How deep conditions, parentheses and negations may be nested.
    public static let depthMax = 32
    /// How deep the types may be nested that are searched for the name of a field.
    static let fieldProbeDepthMax = 16
}
