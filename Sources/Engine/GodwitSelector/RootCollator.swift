//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSelector
import GodwitBase

/// Compares strings by ICU's root collation. Marks combine with letters as far as the text is stream-safe
/// (``CombiningMarks``).
///
/// Most strings are ASCII. The collation of ASCII strings is simple enough to be computed here, four times as fast as
/// by ICU. Control characters are ignored, each other character has one weight, and both cases of a letter have the
/// same weight. If all weights are equal, the first difference between lower and upper case decides: lower case sorts
/// first. ICU compares all other strings, and also strings in which a non-ASCII character follows the differing
/// characters, because this character can combine with them.
enum RootCollator {
    /// Compares two strings in UTF-8.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder {
        compareASCII(left, right) ?? compareWithICU(left, right)
    }

    /// Compares two strings by ICU, even if both are ASCII.
    static func compareWithICU(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder {
        withStreamSafe(left) { left in withStreamSafe(right) { right in compareSafe(left, right) } }
    }

    /// Calls a closure with a text in stream-safe format.
    private static func withStreamSafe<Result>(
        _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        CombiningMarks.streamSafe(text).map { $0.withUnsafeBytes(body) } ?? body(text)
    }

    private static func compareSafe(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder {
        let order = godwit_icu_compare(
            collator.pointer,
            left.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: left.count),
            right.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: right.count))
        return JSONOrder(of: order, relativeTo: 0)
    }

    /// The version of the collation. It changes when a new version of ICU orders strings differently.
    static let version: String = {
        var bytes = [UInt8](repeating: 0, count: 4)
        bytes.withUnsafeMutableBufferPointer { godwit_icu_collation_version(collator.pointer, $0.baseAddress!) }
        return bytes.map(String.init).joined(separator: ".")
    }()

    /// Appends the sort key of a string. The keys of strings have the same bytewise order as the strings have in the
    /// collation. Each key ends with its only zero byte.
    static func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        withStreamSafe(text) { appendSafeKey(of: $0, to: &key) }
    }

    private static func appendSafeKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        // Most strings need two bytes for each character, and a few bytes for each level of weights.
        var capacity = text.count * 3 + 16
        while true {
            let needed = withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { buffer in
                let needed = godwit_icu_sort_key(
                    collator.pointer, text.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(clamping: text.count),
                    buffer.baseAddress!.assumingMemoryBound(to: UInt8.self), Int32(clamping: capacity))
                if Int(needed) <= capacity { key.append(contentsOf: buffer[..<Int(needed)]) }
                return Int(needed)
            }
            precondition(needed > 0, "out of memory for the sort key of a string")
            if needed <= capacity { return }
            capacity = needed
        }
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

    private struct Collator: @unchecked Sendable {
        // An open ICU collator is read-only, so several threads may use it at the same time.
        let pointer: UnsafeMutableRawPointer
    }

    /// The process's collator. It stays open because opening a collator takes milliseconds.
    private static let collator: Collator = {
        guard let pointer = godwit_icu_open_root() else {
            preconditionFailure("ICU has no root collation: its data is missing from this machine")
        }
        return Collator(pointer: pointer)
    }()
}
