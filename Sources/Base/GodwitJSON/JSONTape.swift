//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parsed JSON text: the text, and the "tape", a list of entries with the offsets of all values in it. A tape is the
/// result of one scan, and can be read without building values.
///
/// Each value and each member's name has one entry, in the order of the text. A value is identified by the index of its
/// entry. The root has index 0. An entry stores the index of its next sibling, so that a subtree is skipped in one
/// step.
///
/// ```swift
/// let tape = try JSONTape(scanning: Array(#"{"_id": "godwit", "legs": 2}"#.utf8))
/// let legs = tape.member("legs", of: 0).flatMap { tape.int($0) }  // 2
/// ```
///
/// An index outside the range of the tape's entries stops the program.
package struct JSONTape: Sendable {
    /// The text.
    package let bytes: [UInt8]
    /// The depth of the deepest nesting of arrays and objects.
    package let depth: Int
    @usableFromInline let entries: [JSONTapeEntry]

    /// Scans a complete text.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - limits: The maximum depth and length, and whether the scan stops when the task is cancelled.
    /// - Throws: ``JSONError`` with the offset of the first error; with code ``JSONError/Code/cancelled`` when the task
    ///   was cancelled and the limits require that the scan stops.
    package init(scanning bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        var builder = JSONTapeBuilder(bytesCount: bytes.count)
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try JSONScanner.scan(UnsafeRawBufferPointer(buffer), limits: limits, into: &builder)
        }
        self.bytes = bytes
        depth = builder.depthReached
        entries = builder.entries
    }

    /// The number of values, members' names included.
    package var count: Int { entries.count }

    /// Returns the kind of the value at an index; `.string` for a member's name.
    @inlinable
    package func kind(_ index: Int) -> JSONKind { entries[index].kind }

    /// Returns the range of a value in ``bytes``; for strings, the range includes the quotes.
    @inlinable
    package func range(_ index: Int) -> Range<Int> {
        let entry = entries[index]
        return Range(uncheckedBounds: (Int(entry.start), Int(entry.end)))
    }

    /// Returns the bytes of a value, unchanged.
    @inlinable
    package func slice(_ index: Int) -> ArraySlice<UInt8> { bytes[range(index)] }

    /// Returns the number of elements of an array or of members of an object, including duplicates; 0 for any other
    /// value.
    package func count(of index: Int) -> Int {
        let entry = entries[index]
        if entry.count < JSONTapeEntry.countMax { return entry.count }
        var count = 0
        if entry.kind == .array {
            for _ in elements(of: index) { count += 1 }
        } else {
            for _ in members(of: index) { count += 1 }
        }
        return count
    }
}
