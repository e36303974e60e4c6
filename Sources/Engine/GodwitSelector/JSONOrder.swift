//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The position of one value relative to another.
package enum JSONOrder: Sendable {
    /// The first value sorts before the second.
    case before
    /// Neither sorts before the other.
    case same
    /// The first value sorts after the second.
    case after

    /// The order with the two values exchanged.
    var reversed: JSONOrder {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }

    /// Creates the order of two values by Swift's comparison.
    init<Value: Comparable>(of left: Value, relativeTo right: Value) {
        self = left < right ? .before : left == right ? .same : .after
    }
}
