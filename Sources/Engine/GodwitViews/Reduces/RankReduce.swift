//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector

/// `_top_N` and `_bottom_N`: the greatest or least distinct values, in CouchDB's collation.
struct RankReduce: BuiltInReduce {
    /// The numbers of values that CouchDB allows.
    private static let countRange = 1...100

    private let countMax: Int
    private let isTop: Bool
    /// The selected values in their order, with their collation keys.
    private var values: [(key: [UInt8], text: [UInt8])] = []

    /// - Parameter count: The maximum number of values, as decimal digits. The initializer returns `nil` if this is not
    ///   in ``countRange``.
    init?(_ count: Substring, isTop: Bool) {
        guard let count = Int(count), RankReduce.countRange.contains(count) else { return nil }
        countMax = count
        self.isTop = isTop
    }

    mutating func add(rows range: EntryRange, from tree: SpanTree) throws -> Int {
        try tree.values(range) { add(text: $0) }
    }

    mutating func add(reduction: [UInt8]) {
        guard let tape = try? JSONTape(scanning: reduction) else { return }
        for element in tape.elements(of: 0) { add(text: Array(tape.slice(element))) }
    }

    private mutating func add(text: [UInt8]) {
        guard let tape = try? JSONTape(scanning: text) else { return }
        var key: [UInt8] = []
        CollationKey.append(tape, at: 0, to: &key)
        let insertionIndex = values.firstIndex { value in
            isTop ? value.key.lexicographicallyPrecedes(key) : key.lexicographicallyPrecedes(value.key)
        }
        if insertionIndex == nil, values.count >= countMax { return }
        // As in CouchDB, equal values are included once.
        guard !values.contains(where: { $0.key == key }) else { return }
        values.insert((key, text), at: insertionIndex ?? values.endIndex)
        if values.count > countMax { values.removeLast() }
    }

    var reduction: [UInt8] {
        Array("[".utf8) + values.map(\.text).joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8)
    }
    var result: [UInt8] { reduction }
}

/// `_first` and `_last`: the value of the row with the least or greatest key.
struct EndReduce: BuiltInReduce {
    let isFirst: Bool
    private var value: [UInt8]?

    init(isFirst: Bool) { self.isFirst = isFirst }

    mutating func add(rows range: EntryRange, from tree: SpanTree) throws -> Int {
        try tree.values(range) { add(reduction: $0) }
    }

    mutating func add(reduction: [UInt8]) {
        guard !reduction.isEmpty, !isFirst || value == nil else { return }
        value = reduction
    }

    var reduction: [UInt8] { value ?? [] }
    var result: [UInt8] { value ?? Array("null".utf8) }
}
