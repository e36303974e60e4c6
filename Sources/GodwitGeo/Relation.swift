//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The relation of a query's geometry Q to a document's geometry R: always read "Q relation R".
///
/// The definitions are those of the OGC's dimensionally extended nine-intersection model.
public enum Relation: String, Sendable, Hashable, CaseIterable {
    /// Their bounding boxes intersect. The shapes are not compared.
    case none
    /// No point of R is outside Q, and their interiors intersect.
    case contains
    /// R intersects only Q's interior, not its boundary or exterior.
    case containsProperly = "contains_properly"
    /// No point of Q is outside R.
    case coveredBy = "covered_by"
    /// No point of R is outside Q.
    case covers
    /// Their interiors intersect in a dimension lower than the higher dimension of the two geometries, and each has
    /// points outside the other.
    case crosses
    /// They have no point in common.
    case disjoint
    /// They have a point in common.
    case intersects
    /// They have the same dimension and intersect in that dimension, and each has points outside the other.
    case overlaps
    /// Their boundaries intersect, but their interiors do not.
    case touches
    /// No point of Q is outside R, and their interiors intersect.
    case within
}
