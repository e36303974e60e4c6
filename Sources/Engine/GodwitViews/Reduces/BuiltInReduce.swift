//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// One of CouchDB's built-in reduce functions, implemented natively.
protocol BuiltInReduce: Sendable {
    /// Adds the rows of a range to the state. Reads only those columns of the rows that the function needs.
    ///
    /// - Returns: The number of rows.
    mutating func add(rows range: EntryRange, from tree: SpanTree) throws -> Int

    /// Adds an earlier reduction.
    mutating func add(reduction: [UInt8]) throws(ViewError)

    /// The state as bytes. The bytes can be stored, and can be added to another state later.
    var reduction: [UInt8] { get }

    /// The value in a query's result, as JSON.
    var result: [UInt8] { get }
}

/// The registry of reduce functions whose names start with an underscore.
package enum BuiltInReduces {
    /// Whether a built-in function has this name.
    package static func isKnown(_ name: String) -> Bool { named(name) != nil }

    /// The reason why a name is refused, as in CouchDB.
    package static func refusal(of name: String) -> String {
        let name = name.trimmed
        guard let prefix = ["_top_", "_bottom_"].first(where: { name.begins(with: $0) }) else {
            return "`\(name)` is not a supported reduce function."
        }
        return Int(Substring(name.utf8.dropFirst(prefix.utf8.count))) == nil
            ? "invalid rank reducer" : "rank value must be between 1 and 100"
    }

    /// Returns the function that has a name; `nil` when no function has this name.
    static func named(_ name: String) -> (any BuiltInReduce)? {
        switch name.trimmed {
        // As in CouchDB, these functions are recognized by the prefix of their names.
        case let name where name.begins(with: "_count"): CountReduce()
        case let name where name.begins(with: "_sum"): SumReduce()
        case let name where name.begins(with: "_stats"): StatsReduce()
        case let name where name.begins(with: "_approx_count_distinct"): DistinctReduce()
        case "_first": EndReduce(isFirst: true)
        case "_last": EndReduce(isFirst: false)
        case let name where name.begins(with: "_top_"): RankReduce(Substring(name.utf8.dropFirst(5)), isTop: true)
        case let name where name.begins(with: "_bottom_"): RankReduce(Substring(name.utf8.dropFirst(8)), isTop: false)
        default: nil
        }
    }
}

extension String {
    /// The string without white space at both ends.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
