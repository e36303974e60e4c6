//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Compares strings by CLDR's root collation, as ICU and therefore CouchDB do. Marks combine with letters as far as the
/// text is stream-safe (``CombiningMarks``).
///
/// Most strings are ASCII. The collation of ASCII strings needs no table. Control characters are ignored, each other
/// character has one weight, and both cases of a letter have the same weight. If all weights are equal, the first
/// difference between lower and upper case decides: lower case sorts first. All other strings are compared by their
/// collation elements, and also strings in which a non-ASCII character follows the differing characters, because this
/// character can combine with them.
enum RootCollator {
    /// Compares two strings in UTF-8.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder {
        compareASCII(left, right) ?? compareByElements(left, right)
    }

    /// Compares two strings by their collation elements, even if both are ASCII.
    static func compareByElements(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder {
        withStreamSafe(left) { left in withStreamSafe(right) { right in compareSafe(left, right) } }
    }

    /// Calls a closure with a text in stream-safe format.
    private static func withStreamSafe<Result>(
        _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        CombiningMarks.streamSafe(text).map { $0.withUnsafeBytes(body) } ?? body(text)
    }

    private static func compareSafe(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder {
        var order = compareLevel(left, right) { $0.primary }
        if order == .same { order = compareLevel(left, right) { $0.secondary } }
        return order == .same ? compareLevel(left, right) { $0.tertiary } : order
    }

    /// Compares the weights of a level; those that are 0 are ignored.
    @inline(__always)
    private static func compareLevel<Weight: FixedWidthInteger>(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, by weight: (CollationElement) -> Weight
    ) -> JSONOrder {
        var (elements, otherElements) = (CollationElements(left, .root), CollationElements(right, .root))
        while true {
            let (own, other) = (elements.nextWeight(weight), otherElements.nextWeight(weight))
            if own != other { return JSONOrder(of: own, relativeTo: other) }
            if own == 0 { return .same }
        }
    }

    /// The version of the collation. It changes when strings are ordered differently.
    static let version = CollationTable.root.version.map(String.init).joined(separator: ".")

    /// Appends the sort key of a string. The keys of strings have the same bytewise order as the strings have in the
    /// collation. Each key ends with its only zero byte.
    static func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        withStreamSafe(text) { SortKey.append($0, to: &key) }
    }

    /// - Returns: `nil` if non-ASCII characters may affect the result.
    private static func compareASCII(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder? {
        var caseOrder = JSONOrder.same
        var byteOffset = commonPrefix(left, right)
        var otherOffset = byteOffset
        while true {
            guard let weight = nextWeight(left, &byteOffset), let otherWeight = nextWeight(right, &otherOffset) else {
                return nil
            }
            if weight != otherWeight {
                guard isASCII(left, after: byteOffset), isASCII(right, after: otherOffset) else { return nil }
                return JSONOrder(of: weight, relativeTo: otherWeight)
            }
            if weight == 0 { return caseOrder }
            if caseOrder == .same, left[byteOffset] != right[otherOffset] {
                // Lower-case letters have larger ASCII codes than upper-case letters, but sort first.
                caseOrder = JSONOrder(of: right[otherOffset], relativeTo: left[byteOffset])
            }
            byteOffset += 1
            otherOffset += 1
        }
    }

    /// Returns the number of ASCII bytes that both strings have in common at their start.
    @inline(__always)
    private static func commonPrefix(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let count = min(left.count, right.count)
        var byteOffset = 0
        while byteOffset < count, left[byteOffset] == right[byteOffset], left[byteOffset] < 0x80 { byteOffset += 1 }
        return byteOffset
    }

    /// Skips ignored characters. Returns 0 at the end of the string, and `nil` at a non-ASCII character.
    @inline(__always)
    private static func nextWeight(_ text: UnsafeRawBufferPointer, _ byteOffset: inout Int) -> UInt8? {
        while byteOffset < text.count {
            guard text[byteOffset] < 0x80 else { return nil }
            let weight = weights[Int(text[byteOffset])]
            if weight > 0 { return weight }
            byteOffset += 1
        }
        return 0
    }

    @inline(__always)
    private static func isASCII(_ text: UnsafeRawBufferPointer, after byteOffset: Int) -> Bool {
        byteOffset + 1 >= text.count || text[byteOffset + 1] < 0x80
    }

    /// The weight of each ASCII character; 0 for ignored characters.
    private static let weights: [UInt8] = {
        let order = "\t\n\u{B}\u{C}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
        var weights = [UInt8](repeating: 0, count: 128)
        for (rank, scalar) in order.unicodeScalars.enumerated() {
            weights[Int(scalar.value)] = UInt8(rank + 1)
        }
        for letter in UInt8(ascii: "A")...UInt8(ascii: "Z") {
            weights[Int(letter)] = weights[Int(letter + 32)]
        }
        return weights
    }()
}

extension CollationElements {
    /// Returns the next weight of a level that is not 0; 0 at the end.
    @inline(__always)
    fileprivate mutating func nextWeight<Weight: FixedWidthInteger>(_ weight: (CollationElement) -> Weight) -> Weight {
        while let element = next() {
            let weight = weight(element)
            if weight != 0 { return weight }
        }
        return 0
    }
}
