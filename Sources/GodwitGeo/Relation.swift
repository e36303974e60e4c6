//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How a query's geometry Q lies to a document's geometry R: always read "Q relation R".
///
/// The meanings are those of the OGC's dimensionally extended nine-intersection model.
public enum Relation: String, Sendable, Hashable, CaseIterable {
    /// Their boxes meet; their shapes are not looked at.
    case none
    /// No point of R lies outside Q, and their interiors meet.
    case contains
    /// R meets Q's interior alone, not its boundary nor its outside.
    case containsProperly = "contains_properly"
    /// No point of Q lies outside R.
    case coveredBy = "covered_by"
    /// No point of R lies outside Q.
    case covers
    /// Their interiors meet in less than the greater of them, and leave each other.
    case crosses
    /// They have no point in common.
    case disjoint
    /// They have a point in common.
    case intersects
    /// Of the same dimension, they have a part of that dimension in common, and each has one of its own.
    case overlaps
    /// Their boundaries meet, their interiors do not.
    case touches
    /// No point of Q lies outside R, and their interiors meet.
    case within
}
