//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The unescaped text of strings and names.
extension JSONTape {
    /// Returns the text of a string or of a member's name; for any other value, returns the bytes of the value as text.
    package func string(_ index: Int) -> String {
        withText(of: index) { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a string or a member's name equals the given name.
    package func keyEquals(_ index: Int, _ name: StaticString) -> Bool {
        keyEquals(index, bytes: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// Returns the first byte of the unescaped name or string; `nil` when it is empty.
    package func keyFirstByte(_ index: Int) -> UInt8? {
        let entry = entries[index]
        guard entry.end - entry.start > 2 else { return nil }
        let first = bytes[Int(entry.start) + 1]
        guard first == .backslash else { return first }
        return withText(of: index) { $0.first }
    }

    @inline(__always)
    func keyEquals(_ index: Int, bytes nameBytes: UnsafeRawBufferPointer) -> Bool {
        let entry = entries[index]
        if !entry.traits.contains(.escaped), Int(entry.end - entry.start) != nameBytes.count + 2 { return false }
        return withText(of: index) { $0.isEqual(to: nameBytes) }
    }

    /// Calls a closure with the bytes of a string or a name, unescaped and without quotes. For any other value, calls
    /// the closure with the bytes of that value.
    ///
    /// A string without escapes is not copied.
    @inline(__always)
    func withText<Result>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let entry = entries[index]
        let isString = entry.kind == .string
        let start = Int(entry.start) + (isString ? 1 : 0)
        let end = Int(entry.end) - (isString ? 1 : 0)
        if entry.traits.contains(.escaped) { return withUnescaped(start..<end, body) }
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    @inline(never)
    private func withUnescaped<Result>(
        _ range: Range<Int>,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var unescaped: [UInt8] = []
        unescaped.reserveCapacity(range.count)
        bytes.withUnsafeBytes { JSONUnescape.append($0[range], to: &unescaped) }
        return unescaped.withUnsafeBytes(body)
    }
}
