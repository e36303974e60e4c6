//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// The range of ids that a list of documents covers: all, design documents, or a partition.
struct ListedArea: Sendable {
    /// The first id of the area, and the first id after the area; `nil` for all ids.
    private let bounds: (lower: String, end: String)?

    static let everything = ListedArea(bounds: nil)
    static let designs = ListedArea(bounds: (DocumentID.designPrefix, DocumentID.designsEnd))

    /// The documents of one partition of a partitioned database.
    static func partition(_ name: String) -> ListedArea { ListedArea(bounds: ("\(name):", "\(name);")) }

    /// Returns the intersection of a range and the area.
    func clamp(_ range: IDRange) -> IDRange {
        guard let bounds else { return range }
        var range = range
        if Self.precedes(range.lower ?? "", bounds.lower) {
            (range.lower, range.lowerIsIncluded) = (bounds.lower, true)
        }
        if range.upper.map({ !Self.precedes($0, bounds.end) }) ?? true {
            (range.upper, range.upperIsIncluded) = (bounds.end, false)
        }
        return range
    }

    /// Whether the area includes an id.
    func contains(_ id: String) -> Bool {
        guard let bounds else { return true }
        return !Self.precedes(id, bounds.lower) && Self.precedes(id, bounds.end)
    }

    /// Whether the list has a row for a requested key. If the key's document does not exist, the row reports an error.
    /// The list of all documents has a row for every requested key.
    func mayAsk(_ key: JSONValue) -> Bool { bounds == nil || key.stringValue.map(contains) ?? false }

    var isEverything: Bool { bounds == nil }

    /// The value of `total_rows`. For the list of design documents, it is their number. For other lists, it is the
    /// number of all documents.
    func count(in table: DocumentTable) throws -> Int {
        guard bounds?.lower == DocumentID.designPrefix else { return try table.counters().live }
        return try table.counts(in: clamp(IDRange())).live
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

extension Datastore {
    /// Returns the partition in a request's path or query; `nil` if the request names no partition.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the database has no partitions, when the name of the partition is
    ///   invalid, and when the path and the query name different partitions.
    func partition(of request: ServerRequest) throws(HTTPFailure) -> String? {
        let inPath = request.parameters.first { $0.name == "partition" }?.value
        let inQuery = request.target.value("partition")
        guard let partition = inPath ?? inQuery else { return nil }
        try checkPartition(partition)
        guard (inQuery ?? partition).isIdenticalText(to: partition) else {
            throw .badRequest("Conflicting value for `partition` in query string.")
        }
        return partition
    }

    /// Checks the name of a partition.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the database has no partitions, or the name is invalid.
    func checkPartition(_ name: String) throws(HTTPFailure) {
        guard isPartitioned else { throw .badRequest("database is not partitioned") }
        try PartitionedID.check(partition: name)
    }
}
