//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where one value stands relative to another.
package enum JSONOrder: Sendable {
    /// The first one sorts before the second.
    case before
    /// Neither sorts before the other.
    case same
    /// The first one sorts after the second.
    case after

    /// The order seen from the second value.
    var reversed: JSONOrder {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }

    /// The order of two values that Swift can compare.
    init<Value: Comparable>(of left: Value, relativeTo right: Value) {
        self = left < right ? .before : left == right ? .same : .after
    }
}
