//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Reads the subset of CBOR (RFC 8949) that authenticators write: definite lengths, integers in the range of `Int64`,
/// byte and text strings, arrays, maps, booleans and null.
struct CBORReader {
    /// A value. The keys of a map must be integers or texts. Only integers, texts and byte strings can be compared: for
    /// all other values, `==` is always `false`.
    indirect enum Value: Equatable {
        case integer(Int64)
        case bytes([UInt8])
        case text(String)
        case array([Value])
        case map([(key: Value, value: Value)])
        case flag(Bool)
        case null

        static func == (left: Value, right: Value) -> Bool {
            switch (left, right) {
            case (.integer(let left), .integer(let right)): left == right
            case (.text(let left), .text(let right)): left.isIdenticalText(to: right)
            case (.bytes(let left), .bytes(let right)): left == right
            default: false
            }
        }

        subscript(_ key: Int64) -> Value? { member(.integer(key)) }
        subscript(_ key: String) -> Value? { member(.text(key)) }

        private func member(_ key: Value) -> Value? {
            guard case .map(let members) = self else { return nil }
            return members.first { $0.key == key }?.value
        }

        var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
        var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    }

    /// The maximum depth of a value. The depth of the outermost value is 1.
    private static let depthMax = 8

    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], from position: Int = 0) { (self.bytes, self.position) = (bytes, position) }

    /// Reads one value; `nil` if the bytes are damaged, use features that are not in the subset, or are nested too
    /// deeply.
    mutating func value(depth: Int = 0) -> Value? {
        guard depth < CBORReader.depthMax, let first = byte() else { return nil }
        let (major, extra) = (first >> 5, first & 31)
        if major == 7 { return simple(extra) }
        guard let argument = argument(extra) else { return nil }
        switch major {
        case 0: return .integer(argument)
        case 1: return .integer(-1 - argument)
        case 2: return take(argument).map { .bytes(Array($0)) }
        case 3: return take(argument).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        case 4: return array(argument, depth)
        case 5: return map(argument, depth)
        default: return nil
        }
    }

    private func simple(_ extra: UInt8) -> Value? {
        switch extra {
        case 20: .flag(false)
        case 21: .flag(true)
        case 22: .null
        default: nil
        }
    }

    private mutating func array(_ count: Int64, _ depth: Int) -> Value? {
        // Each element needs at least one byte. If the count is greater than the number of remaining bytes, the bytes
        // are damaged. This check also prevents that memory is reserved for too many elements.
        guard count <= bytes.count - position else { return nil }
        var values: [Value] = []
        for _ in 0..<count {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
        }
        return .array(values)
    }

    private mutating func map(_ count: Int64, _ depth: Int) -> Value? {
        guard count <= bytes.count - position else { return nil }
        var members: [(key: Value, value: Value)] = []
        for _ in 0..<count {
            guard let key = value(depth: depth + 1), let value = value(depth: depth + 1) else { return nil }
            switch key {
            case .integer, .text: members.append((key, value))
            default: return nil
            }
        }
        return .map(members)
    }

    private mutating func argument(_ extra: UInt8) -> Int64? {
        switch extra {
        case 0..<24: return Int64(extra)
        case 24: return byte().map(Int64.init)
        case 25: return number(2)
        case 26: return number(4)
        case 27: return number(8)
        default: return nil
        }
    }

    private mutating func number(_ count: Int64) -> Int64? {
        guard let digits = take(count) else { return nil }
        return Int64(exactly: digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private mutating func byte() -> UInt8? { take(1)?.first }

    private mutating func take(_ count: Int64) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - position else { return nil }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }
}
