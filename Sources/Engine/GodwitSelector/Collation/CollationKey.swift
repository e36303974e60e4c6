//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON

// An index is a list of rows ordered by their keys, and SQLite compares keys as bytes. Therefore, keys are encoded so
// that the order of two keys as bytes is the order of the two values in ``JSONCollation``. No key is a prefix of
// another key. Therefore, the keys of several values can be concatenated, and all rows that begin with the same values
// form one range.
//
// A key consists of a tag, which orders the kinds of values, followed by bytes that order the values of one kind:
//
// | kind | bytes after the tag |
// |---|---|
// | number | the nearest double, its bits transformed so that they sort as unsigned integers; see below |
// | string | its sort key (``SortKey``), which ends with a zero byte |
// | array | the keys of its elements, then a zero byte, which sorts before every tag |
// | object | name and value of each member, then a zero byte |
//
// From 2^53 on, several integers have the same nearest double. For such a number, the count of its digits and the
// digits follow the double.
//
// Two values that the collation treats as equal have the same key. For an index field in descending order, all bits of
// a key are inverted. As no key is a prefix of another, inverted keys sort in the reverse order.

/// Encodes JSON values as bytes that sort in CouchDB's collation order.
package enum CollationKey {
    /// The key of a field whose path leads through a value that is not a container.
    package static let unreachable: UInt8 = 0x04
    /// The key that replaces the keys of the elements, if an array has too many elements to index each of them.
    package static let tooMany: UInt8 = 0x02
    /// The key of a missing field.
    package static let missing: UInt8 = 0x08
    /// A byte that sorts after the key of every value.
    package static let end: UInt8 = 0xFE

    /// The version of the collation of strings. One index must not contain keys of different versions.
    package static var version: String { RootCollator.version }

    /// The version of the collation in CouchDB's notation: without trailing zeros.
    package static var versionOfOrder: String {
        let numbers = version.pieces(at: ".")
        let last = numbers.lastIndex { $0 != "0" } ?? 0
        return numbers[...last].joined(separator: ".")
    }

    static let containerEnd: UInt8 = 0x00

    /// Returns the tag of a kind of value. The keys of all values of this kind begin with the tag.
    static func tag(_ kind: JSONKind) -> UInt8 {
        switch kind {
        case .null: 0x10
        case .false: 0x12
        case .true: 0x14
        case .integer, .double: 0x20
        case .string: 0x30
        case .array: 0x40
        case .object: 0x50
        }
    }

    /// Appends the key of a value.
    package static func append(_ value: JSONValue, to key: inout [UInt8]) {
        Writer.append(value, to: &key)
    }

    /// Appends the key of a value in a scanned text, without decoding the value.
    package static func append(_ tape: JSONTape, at index: Int, to key: inout [UInt8]) {
        Writer.append(TapeNode(tape: tape, index: index), to: &key)
    }

    /// Appends the key of a document's id. Ids are compared by their bytes.
    package static func append(id: String, to key: inout [UInt8]) {
        key.append(tag(.string))
        for byte in id.utf8 {
            // A zero byte ends the key. Therefore, zero bytes within the id are escaped with the byte 1, and the byte 1
            // is escaped too.
            if byte <= 1 { key.append(1) }
            key.append(byte <= 1 ? byte + 1 : byte)
        }
        key.append(containerEnd)
    }

    /// Returns the smallest key that sorts after all keys with a prefix; empty when no such key exists.
    package static func end(ofPrefix prefix: [UInt8]) -> [UInt8] {
        var end = prefix
        while let last = end.popLast() {
            if last < 0xFF { return end + [last + 1] }
        }
        return []
    }

    /// Writes the key of a value with an explicit stack instead of recursion, because documents can be nested up to ten
    /// thousand levels.
    private struct Writer<Node: JSONNode> {
        private var openContainers: [Frame] = []

        private enum Frame {
            case array(Node.Elements.Iterator)
            case object(Node.Members.Iterator)
        }

        static func append(_ node: Node, to key: inout [UInt8]) {
            var writer = Writer()
            writer.appendHead(node, to: &key)
            while let frame = writer.openContainers.popLast() { writer.advance(frame, to: &key) }
        }

        private mutating func appendHead(_ node: Node, to key: inout [UInt8]) {
            let kind = node.kind
            key.append(tag(kind))
            switch kind {
            case .null, .true, .false: break
            case .integer, .double: node.number.appendKey(to: &key)
            case .string: node.withText { RootCollator.appendKey(of: $0, to: &key) }
            case .array: openContainers.append(.array(node.elements.makeIterator()))
            case .object: openContainers.append(.object(node.members.makeIterator()))
            }
        }

        private mutating func advance(_ frame: Frame, to key: inout [UInt8]) {
            switch frame {
            case .array(var elements):
                guard let element = elements.next() else { return key.append(containerEnd) }
                openContainers.append(.array(elements))
                appendHead(element, to: &key)
            case .object(var members):
                guard let member = members.next() else { return key.append(containerEnd) }
                openContainers.append(.object(members))
                appendHead(member.key, to: &key)
                appendHead(member.value, to: &key)
            }
        }
    }
}

extension JSONNumber {
    /// From this magnitude on, one double represents several integers.
    private static let exactMax = 0x1p53

    /// Appends bytes that sort in the order of numbers.
    fileprivate func appendKey(to key: inout [UInt8]) {
        let double = nearestDouble
        let bits = double.bitPattern
        // The bit patterns of negative doubles are inverted, because they sort in reverse order. Negative doubles sort
        // before positive doubles.
        let sorted = double.sign == .minus ? ~bits : bits | 1 << 63
        withUnsafeBytes(of: sorted.bigEndian) { key.append(contentsOf: $0) }
        if double.magnitude >= Self.exactMax { appendDigits(to: &key) }
    }

    private var nearestDouble: Double {
        switch self {
        case .integer(let integer): Double(integer)
        case .bigInteger(let digits): Double(digits) ?? 0
        case .double(let double) where double == 0: 0
        case .double(let double): double.isNaN ? -.infinity : double
        }
    }

    private func appendDigits(to key: inout [UInt8]) {
        let digits = digits.utf8
        let isNegative = digits.first == UInt8(ascii: "-")
        let magnitude = digits.drop { $0 == UInt8(ascii: "-") }
        let mask: UInt8 = isNegative ? 0xFF : 0
        withUnsafeBytes(of: UInt32(magnitude.count).bigEndian) { key.append(contentsOf: $0.lazy.map { $0 ^ mask }) }
        key.append(contentsOf: magnitude.lazy.map { $0 ^ mask })
    }

    private var digits: String {
        switch self {
        case .integer(let integer): String(integer)
        case .bigInteger(let digits): digits
        case .double(let double): double.isFinite ? Self.digits(of: double) : ""
        }
    }
}
