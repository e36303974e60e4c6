//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reduce function of CouchDB's own, run natively.
protocol BuiltInReduce: Sendable {
    /// Takes in the rows of a range: it reads of them what it needs.
    ///
    /// - Returns: How many there were.
    mutating func add(rows range: EntryRange, from tree: SpanTree) throws -> Int

    /// Takes in what rows before this came to.
    mutating func add(reduction: [UInt8]) throws(ViewError)

    /// What was taken in, to be kept and taken in again.
    var reduction: [UInt8] { get }

    /// The value that a query shows, as JSON.
    var result: [UInt8] { get }
}

/// The reduce functions that begin with an underscore.
package enum BuiltInReduces {
    /// Whether there is a function of a name.
    package static func isKnown(_ name: String) -> Bool { named(name) != nil }

    /// A function by its name; `nil` when there is none of this name.
    static func named(_ name: String) -> (any BuiltInReduce)? {
        switch name.trimmed {
        // As in CouchDB, these are known by how they begin.
        case let name where name.hasPrefix("_count"): CountReduce()
        case let name where name.hasPrefix("_sum"): SumReduce()
        case let name where name.hasPrefix("_stats"): StatsReduce()
        case let name where name.hasPrefix("_approx_count_distinct"): DistinctReduce()
        case "_first": EndReduce(isFirst: true)
        case "_last": EndReduce(isFirst: false)
        case let name where name.hasPrefix("_top_"): RankReduce(name.dropFirst("_top_".count), isTop: true)
        case let name where name.hasPrefix("_bottom_"): RankReduce(name.dropFirst("_bottom_".count), isTop: false)
        default: nil
        }
    }
}

extension String {
    /// Without white space at both ends.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
