//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of views.
public struct ViewLimits: Sendable {
    /// The maximum number of documents passed to one call of the map functions.
    public var documentsPerCallMax = 200

    /// The maximum number of bytes of documents passed to one call of the map functions. A single document may be
    /// longer.
    public var bytesPerCallMax = 1 << 20

    /// The maximum number of concurrent calls of map functions for one index.
    public var callsAtATimeMax = 2

    /// The maximum number of rows that one slice of a query reads. A slice of a reduced query reads up to four times as
    /// many rows and spans.
    public var sliceRowsMax = 500

    /// The number of bytes after which a slice of a query ends.
    public var sliceBytesMax = 1 << 20

    /// The maximum number of groups of a reduced query that are computed together.
    public var groupsPerSliceMax = 100

    /// While reductions are updated, a transaction ends after it has read this number of rows.
    public var rowsPerStepMax = 10_000

    /// The number of spans after which one step of updating reductions ends. The last steps of all views are written
    /// together, in one transaction.
    public var spansPerStepMax = 200

    /// Creates the default limits.
    public init() {}
}
