//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// `_count`: the number of rows. Stored counts whose sum is too large for 64 bits have the greatest possible sum.
struct CountReduce: BuiltInReduce {
    private var count = 0

    mutating func add(rows range: EntryRange, from tree: SpanTree) throws -> Int {
        let rowCount = try tree.countRows(range)
        count = count.addingSaturated(rowCount)
        return rowCount
    }

    mutating func add(reduction: [UInt8]) {
        count = count.addingSaturated(Int(String(decoding: reduction, as: UTF8.self)) ?? 0)
    }

    var reduction: [UInt8] { Array(String(count).utf8) }
    var result: [UInt8] { reduction }
}
