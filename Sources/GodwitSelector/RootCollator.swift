//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CICU

/// ICU's root collation of strings.
///
/// Most strings are ASCII, where the collation is short enough to be done in place, four times as fast: control
/// characters do not count, every other character has one weight, letters of both cases the same one, and only where
/// all weights agree the first difference of case decides, lower case first. ICU decides everything else, and also
/// where a mark beyond ASCII follows the characters that differ, because it may belong to them.
enum RootCollator {
    /// Compares two texts, as UTF-8.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder {
        compareASCII(left, right) ?? compareWithICU(left, right)
    }

    /// Compares two texts by ICU, whatever they hold.
    static func compareWithICU(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder {
        let order = godwit_icu_compare(
            collator.pointer,
            left.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: left.count),
            right.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: right.count))
        return JSONOrder(of: order, relativeTo: 0)
    }

    /// Changes when texts sort otherwise than before, with a new ICU.
    static let version: String = {
        var bytes = [UInt8](repeating: 0, count: 4)
        bytes.withUnsafeMutableBufferPointer { godwit_icu_collation_version(collator.pointer, $0.baseAddress!) }
        return bytes.map(String.init).joined(separator: ".")
    }()

    /// Appends the key of a text, whose bytes compare as texts do. It has a zero byte at its end and nowhere else.
    static func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        // Most texts need two bytes a character and some for all weights of one level.
        var capacity = text.count * 3 + 16
        while true {
            let needed = withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { room in
                let needed = godwit_icu_sort_key(
                    collator.pointer, text.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(clamping: text.count),
                    room.baseAddress!.assumingMemoryBound(to: UInt8.self), Int32(clamping: capacity))
                if Int(needed) <= capacity { key.append(contentsOf: room[..<Int(needed)]) }
                return Int(needed)
            }
            precondition(needed > 0, "no memory is left for the sort key of a text")
            if needed <= capacity { return }
            capacity = needed
        }
    }

    /// - Returns: `nil` where characters beyond ASCII may take part in the decision.
    private static func compareASCII(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder? {
        var cases = JSONOrder.same
        var position = commonPrefix(left, right)
        var other = position
        while true {
            guard let weight = nextWeight(left, &position), let otherWeight = nextWeight(right, &other) else { return nil }
            if weight != otherWeight {
                guard isASCII(left, after: position), isASCII(right, after: other) else { return nil }
                return JSONOrder(of: weight, relativeTo: otherWeight)
            }
            if weight == 0 { return cases }
            if cases == .same, left[position] != right[other] {
                // Lower case has the larger codes and sorts first.
                cases = JSONOrder(of: right[other], relativeTo: left[position])
            }
            position += 1
            other += 1
        }
    }

    /// How many bytes of ASCII both texts begin with alike.
    @inline(__always)
    private static func commonPrefix(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let count = min(left.count, right.count)
        var position = 0
        while position < count, left[position] == right[position], left[position] < 0x80 { position += 1 }
        return position
    }

    /// Passes what does not count; 0 stands for the end, `nil` for a character beyond ASCII.
    @inline(__always)
    private static func nextWeight(_ text: UnsafeRawBufferPointer, _ position: inout Int) -> UInt8? {
        while position < text.count {
            guard text[position] < 0x80 else { return nil }
            let weight = weights[Int(text[position])]
            if weight > 0 { return weight }
            position += 1
        }
        return 0
    }

    @inline(__always)
    private static func isASCII(_ text: UnsafeRawBufferPointer, after position: Int) -> Bool {
        position + 1 >= text.count || text[position + 1] < 0x80
    }

    /// The weight of each ASCII character; 0 for those that do not count.
    private static let weights: [UInt8] = {
        let order = "\t\n\u{B}\u{C}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
        var weights = [UInt8](repeating: 0, count: 128)
        for (position, scalar) in order.unicodeScalars.enumerated() {
            weights[Int(scalar.value)] = UInt8(position + 1)
        }
        for letter in UInt8(ascii: "A")...UInt8(ascii: "Z") {
            weights[Int(letter)] = weights[Int(letter + 32)]
        }
        return weights
    }()

    private struct Collator: @unchecked Sendable {
        // ICU's collators are read only once they are opened: comparing with one from several threads is allowed.
        let pointer: UnsafeMutableRawPointer
    }

    /// The collator of the process; opening one takes milliseconds, so it stays open.
    private static let collator: Collator = {
        guard let pointer = godwit_icu_open_root() else {
            preconditionFailure("ICU has no root collation: its data is missing from this machine")
        }
        return Collator(pointer: pointer)
    }()
}
