//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

// An index is a list of rows in the order of their keys, and SQLite compares keys as bytes. So a value's key is made such
// that keys compare as ``JSONCollation`` compares values, and that none is the beginning of another: then the keys of
// several values can stand one behind the other, and all rows that begin with some of them are one range.
//
// A key is a tag that sorts as the kinds do, and what tells values of the kind apart:
//
//     number   the nearest double, its bits turned so that they sort as unsigned ones; beyond 2^53, where several integers
//              share one double, the number of digits and the digits behind it
//     string   ICU's sort key, which ends with a zero byte
//     array    the keys of its elements, then a zero byte, which sorts before every tag
//     object   name and value of each member, then a zero byte
//
// Two values that are the same in the collation have the same key. For an index's field in descending order all bits of a
// key are turned over; being no beginning of another, keys then sort the other way round.

/// Bytes that sort as values do in CouchDB's collation.
package enum CollationKey {
    /// Stands for a field whose path leads through a value that is no container.
    package static let unreachable: UInt8 = 0x04
    /// Stands for the elements of an array that has too many to have a key each.
    package static let tooMany: UInt8 = 0x02
    /// Stands for a field that is not there.
    package static let missing: UInt8 = 0x08
    /// Sorts behind the key of every value.
    package static let end: UInt8 = 0xFE

    /// The version of the order of texts: keys of different versions must not stand in one index.
    package static var version: String { RootCollator.version }

    /// The version of the order as CouchDB writes it: without zeros at the end.
    package static var versionOfOrder: String {
        let numbers = version.split(separator: ".")
        let last = numbers.lastIndex { $0 != "0" } ?? 0
        return numbers[...last].joined(separator: ".")
    }

    static let containerEnd: UInt8 = 0x00

    /// What the key of a value of a kind begins with.
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

    /// Appends the key of a value of a scanned text, without building the value.
    package static func append(_ tape: JSONTape, at index: Int, to key: inout [UInt8]) {
        Writer.append(TapeNode(tape: tape, index: index), to: &key)
    }

    /// Appends the key of a document's id, which is compared by its bytes.
    package static func append(id: String, to key: inout [UInt8]) {
        key.append(tag(.string))
        for byte in id.utf8 {
            // The zero byte ends the key, so that it cannot stand in it.
            if byte <= 1 { key.append(1) }
            key.append(byte <= 1 ? byte + 1 : byte)
        }
        key.append(containerEnd)
    }

    /// The first bytes behind all that begin with some bytes; empty when there are none.
    package static func end(ofPrefix prefix: [UInt8]) -> [UInt8] {
        var end = prefix
        while let last = end.popLast() {
            if last < 0xFF { return end + [last + 1] }
        }
        return []
    }

    /// Writes a value with a stack of its own in place of recursion: documents are nested up to ten thousand levels.
    private struct Writer<Node: JSONNode> {
        private var open: [Frame] = []

        private enum Frame {
            case array(Node.Elements.Iterator)
            case object(Node.Members.Iterator)
        }

        static func append(_ node: Node, to key: inout [UInt8]) {
            var writer = Writer()
            writer.appendHead(node, to: &key)
            while let frame = writer.open.popLast() { writer.advance(frame, to: &key) }
        }

        private mutating func appendHead(_ node: Node, to key: inout [UInt8]) {
            let kind = node.kind
            key.append(tag(kind))
            switch kind {
            case .null, .true, .false: break
            case .integer, .double: node.number.appendKey(to: &key)
            case .string: node.withText { RootCollator.appendKey(of: $0, to: &key) }
            case .array: open.append(.array(node.elements.makeIterator()))
            case .object: open.append(.object(node.members.makeIterator()))
            }
        }

        private mutating func advance(_ frame: Frame, to key: inout [UInt8]) {
            switch frame {
            case .array(var elements):
                guard let element = elements.next() else { return key.append(containerEnd) }
                open.append(.array(elements))
                appendHead(element, to: &key)
            case .object(var members):
                guard let member = members.next() else { return key.append(containerEnd) }
                open.append(.object(members))
                appendHead(member.key, to: &key)
                appendHead(member.value, to: &key)
            }
        }
    }
}

extension JSONNumber {
    /// Above it one double stands for several integers.
    private static let exactMax = 0x1p53

    /// Appends bytes that sort as numbers do.
    fileprivate func appendKey(to key: inout [UInt8]) {
        let double = nearestDouble
        let bits = double.bitPattern
        // Negative ones sort the other way round, and below positive ones.
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
