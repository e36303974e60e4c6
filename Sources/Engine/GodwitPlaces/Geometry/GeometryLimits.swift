//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits on the size of a geometry and on the time of operations.
public enum GeometryLimits {
    /// The maximum number of positions of one geometry. For comparison, the outline of Canada in the most detailed map
    /// of Natural Earth has 68 000 positions.
    public static let positionsMax = 80_000
    /// The maximum number of levels of nested geometries. Each collection is one level, and the geometries in the
    /// innermost collection are one more level. Therefore, at most 15 collections may be nested.
    public static let nestingMax = 16
    /// The processor time in seconds after which one relation, or the preparation of one shape, is stopped.
    public static let operationSecondsMax = 1.0
}
