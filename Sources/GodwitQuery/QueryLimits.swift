//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a query may cost.
public enum QueryLimits {
    /// The longest predicate format, in bytes of UTF-8.
    public static let predicateFormatBytesMax = 65_536
    /// How deep conditions, parentheses and negations may stand in each other in a predicate.
    public static let predicateDepthMax = 32
    /// How deep the types may stand in each other that are looked through for the name of a field.
    static let fieldProbeDepthMax = 16
}
