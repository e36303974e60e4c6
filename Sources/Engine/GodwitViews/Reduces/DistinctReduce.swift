//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

// Source: P. Flajolet and others, "HyperLogLog: the analysis of a near-optimal cardinality estimation algorithm", 2007,
// with linear counting for small numbers. As in CouchDB, 2048 registers give a standard error of 2.3 percent.

/// `_approx_count_distinct`: the approximate number of distinct keys.
struct DistinctReduce: BuiltInReduce {
    private static let precision: UInt64 = 11
    // Bounded: constants.
    private static let registerCount = 1 << precision
    /// The greatest value of a register.
    // Bounded: constants.
    private static let registerMax = UInt8(clamping: 64 - precision + 1)

    /// For each used register: the greatest number of zero bits at the end of a hash, plus 1.
    private var registers: [UInt16: UInt8] = [:]

    mutating func add(rows range: EntryRange, from tree: SpanTree) throws -> Int {
        try tree.keys(range) { add(key: $0) }
    }

    private mutating func add(key: [UInt8]) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
        hash ^= hash >> 33
        let register = UInt16(truncatingIfNeeded: hash & UInt64(clamping: Self.registerCount - 1))
        // Bounded: constants.
        let rest = hash >> Self.precision | 1 << (64 - Self.precision)
        updateRegister(register, with: UInt8(clamping: rest.trailingZeroBitCount + 1))
    }

    private mutating func updateRegister(_ register: UInt16, with zeroCount: UInt8) {
        if zeroCount > registers[register, default: 0] { registers[register] = zeroCount }
    }

    /// Adds a stored reduction. Registers and values that do not exist are ignored.
    mutating func add(reduction: [UInt8]) {
        for offset in stride(from: 0, to: reduction.count - 2, by: 3) {
            let register =
                UInt16(truncatingIfNeeded: reduction[offset]) << 8 | UInt16(truncatingIfNeeded: reduction[offset + 1])
            guard register < Self.registerCount, reduction[offset + 2] <= Self.registerMax else { continue }
            updateRegister(register, with: reduction[offset + 2])
        }
    }

    /// Three bytes for each used register: its number in two bytes, and its value.
    var reduction: [UInt8] {
        registers.sorted { $0.key < $1.key }.flatMap {
            [UInt8(truncatingIfNeeded: $0.key >> 8), UInt8(truncatingIfNeeded: $0.key), $0.value]
        }
    }

    var result: [UInt8] {
        let registerCount = Double(Self.registerCount)
        // Bounded: there are at most `registerCount` registers.
        let zeros = Self.registerCount - registers.count
        let sum = registers.values.reduce(Double(zeros)) { $0 + 1 / Double(UInt64(1) << UInt64($1)) }
        // Bounded: numbers of floating point.
        var estimate = 0.7213 / (1 + 1.079 / registerCount) * registerCount * registerCount / sum
        if estimate <= 2.5 * registerCount, zeros > 0 { estimate = registerCount * log(registerCount / Double(zeros)) }
        return Array(String(Int(saturating: estimate.rounded())).utf8)
    }
}
