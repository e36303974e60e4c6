//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The operators that test one value.
enum Operator: String {
    case equal = "$eq"
    case notEqual = "$ne"
    case less = "$lt"
    case lessOrEqual = "$lte"
    case greater = "$gt"
    case greaterOrEqual = "$gte"
    case `in` = "$in"
    case notIn = "$nin"
    case exists = "$exists"
    case type = "$type"
    case mod = "$mod"
    case regex = "$regex"
    case beginsWith = "$beginsWith"
    case all = "$all"
    case size = "$size"
    case geoWithin = "$geoWithin"
    case geoIntersects = "$geoIntersects"
    case near = "$near"

    /// The operator with the opposite result; `nil` when no such operator exists.
    var negation: Operator? {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        case .in: .notIn
        case .notIn: .in
        case .exists, .type, .mod, .regex, .beginsWith, .all, .size, .geoWithin, .geoIntersects, .near: nil
        }
    }
}
