//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How large a geometry may be and how long work on it may take.
public enum GeometryLimits {
    /// The most positions of one geometry. The outline of Canada in the finest of Natural Earth's maps has 68 000.
    public static let positionsMax = 80_000
    /// How deep geometry collections may stand inside each other, the outermost included.
    public static let nestingMax = 16
    /// The seconds of processor time after which one relation, or the preparation of one shape, is ended.
    public static let operationSecondsMax = 1.0
}
