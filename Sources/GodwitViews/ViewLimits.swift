//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The named limits of views.
public struct ViewLimits: Sendable {
    /// Documents that one call of the map functions is given.
    public var documentsPerCallMax = 200

    /// Bytes of documents that one call of the map functions is given, unless a single one is longer.
    public var bytesPerCallMax = 1 << 20

    /// Calls of map functions at a time for one index.
    public var callsAtATimeMax = 2

    /// Rows that one slice of a query reads.
    public var sliceRowsMax = 500

    /// Bytes after which a slice of a query ends.
    public var sliceBytesMax = 1 << 20

    /// Groups of a reduced query that are worked out together.
    public var groupsPerSliceMax = 100

    /// Rows that are read in one transaction to bring reductions up to date.
    public var rowsPerStepMax = 10_000

    /// Parts of a view whose reductions are brought up to date in one transaction.
    public var spansPerStepMax = 200

    /// The default limits.
    public init() {}
}
