//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Which documents a list is of.
struct ListedArea: Sendable {
    /// The first id that may be in the area, and the first that comes after it; `nil` for all ids.
    private let bounds: (lower: String, end: String)?

    static let everything = ListedArea(bounds: nil)
    static let designs = ListedArea(bounds: (DocumentID.designPrefix, DocumentID.designsEnd))

    /// Those of one partition of a partitioned database.
    static func partition(_ name: String) -> ListedArea { ListedArea(bounds: ("\(name):", "\(name);")) }

    /// The part of a range that lies in the area.
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

    /// Whether a document of this id would be in the area.
    func contains(_ id: String) -> Bool {
        guard let bounds else { return true }
        return !Self.precedes(id, bounds.lower) && Self.precedes(id, bounds.end)
    }

    /// Whether a key that is looked up gets a row, be it that of an error: anything may be asked of all documents.
    func mayAsk(_ key: JSONValue) -> Bool { bounds == nil || key.stringValue.map(contains) ?? false }

    var isEverything: Bool { bounds == nil }

    /// The number that lists tell as that of all rows: the design documents in a list of those, otherwise all documents.
    func count(in datastore: Datastore) throws -> Int {
        guard bounds?.lower == DocumentID.designPrefix else { return try datastore.documentCount }
        return try datastore.read { try $0.counts(in: clamp(IDRange())).live }
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

extension Datastore {
    /// The partition that a request is about, by its path or else by its query; `nil` for the whole database.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when there is no such partition, or the two differ.
    func partition(of request: ServerRequest) throws(HTTPFailure) -> String? {
        let inPath = request.parameters.first { $0.name == "partition" }?.value
        let inQuery = request.target.value("partition")
        guard let partition = inPath ?? inQuery else { return nil }
        try checkPartition(partition)
        guard inQuery ?? partition == partition else {
            throw .badRequest("The partitions of the path and of the query differ.")
        }
        return partition
    }

    /// Refuses a question about a partition that cannot be.
    func checkPartition(_ name: String) throws(HTTPFailure) {
        guard isPartitioned else { throw .badRequest("database is not partitioned") }
        try PartitionedID.check(partition: name)
    }
}
