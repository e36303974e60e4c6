//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The relation of a query's geometry Q to a document's geometry R. For example, ``contains`` means "Q contains R".
///
/// The definitions are taken from the OGC's dimensionally extended nine-intersection model.
public enum Relation: String, Sendable, Hashable, CaseIterable {
    /// The bounding boxes of Q and R intersect. The shapes are not compared.
    case none
    /// No point of R is outside Q, and the interiors of Q and R intersect.
    case contains
    /// R intersects only Q's interior, not its boundary or exterior.
    case containsProperly = "contains_properly"
    /// No point of Q is outside R.
    case coveredBy = "covered_by"
    /// No point of R is outside Q.
    case covers
    /// The interiors of Q and R intersect, and each geometry has points outside the other. The dimension of the
    /// intersection is smaller than the dimension of Q or the dimension of R.
    case crosses
    /// Q and R have no point in common.
    case disjoint
    /// Q and R have a point in common.
    case intersects
    /// Q and R have the same dimension and intersect in that dimension, and each has points outside the other.
    case overlaps
    /// Q and R have a point in common, but their interiors do not intersect.
    case touches
    /// No point of Q is outside R, and the interiors of Q and R intersect.
    case within
}
