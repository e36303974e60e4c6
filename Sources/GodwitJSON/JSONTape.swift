//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A JSON text with the places of everything in it: the result of one scan, read without building values.
///
/// Each value and each member's name has one entry, in the order of the text; an index into the entries stands for it.
/// The root has index 0. An entry knows where its next sibling is, so that a whole subtree is passed in one step.
///
/// ```swift
/// let tape = try JSONTape(scanning: Array(#"{"_id": "godwit", "legs": 2}"#.utf8))
/// let legs = tape.member("legs", of: 0).flatMap { tape.int($0) }  // 2
/// ```
///
/// Indices that are not of this tape stop the program.
package struct JSONTape: Sendable {
    /// The text.
    package let bytes: [UInt8]
    /// How many arrays and objects stand inside each other at the deepest place.
    package let depth: Int
    @usableFromInline let entries: [JSONTapeEntry]

    /// Scans a text completely.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - limits: How deep and how long it may be.
    /// - Throws: ``JSONError`` with the offset of the first mistake.
    package init(scanning bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        var builder = JSONTapeBuilder(bytesCount: bytes.count)
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try JSONScanner.scan(UnsafeRawBufferPointer(buffer), limits: limits, into: &builder)
        }
        self.bytes = bytes
        depth = builder.depthReached
        entries = builder.entries
    }

    /// How many values it has, members' names among them.
    package var count: Int { entries.count }

    /// What the value at an index is; of a member's name `.string`.
    @inlinable
    package func kind(_ index: Int) -> JSONKind { entries[index].kind }

    /// Where a value stands in ``bytes``; of strings the quotes are included.
    @inlinable
    package func range(_ index: Int) -> Range<Int> {
        let entry = entries[index]
        return Range(uncheckedBounds: (Int(entry.start), Int(entry.end)))
    }

    /// The bytes of a value as they stand in the text.
    @inlinable
    package func slice(_ index: Int) -> ArraySlice<UInt8> { bytes[range(index)] }

    /// How many elements an array or how many members an object has, duplicates included; 0 for anything else.
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
