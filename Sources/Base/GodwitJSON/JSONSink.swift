//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A type that receives the values that a scan finds.
///
/// The scanner reports values in the order of the text, by byte offsets. A scalar is reported after it has been
/// validated. `end` is the offset after the last byte of the value. The scanner does not pass the bytes, so a sink that
/// needs them must have its own reference to them. If the scan fails after some calls, the results of these calls are
/// invalid.
///
/// The compiler specializes the scanner for each sink of this module, so that an empty sink has no cost.
package protocol JSONSink {
    /// An array or an object starts at `start`.
    mutating func open(_ kind: JSONKind, at start: Int)
    /// The innermost array or object ends; its last byte is at `end - 1`.
    mutating func close(endingAt end: Int)
    /// A member's name, including the quotes. Its value follows.
    mutating func key(start: Int, end: Int, traits: JSONStringTraits)
    /// A string, quotes included.
    mutating func string(start: Int, end: Int, traits: JSONStringTraits)
    /// A number or a literal.
    mutating func scalar(_ kind: JSONKind, start: Int, end: Int)
}

/// A sink that ignores all values, so that a scan only validates the text.
struct JSONNullSink: JSONSink {
    @inline(__always) mutating func open(_ kind: JSONKind, at start: Int) {}
    @inline(__always) mutating func close(endingAt end: Int) {}
    @inline(__always) mutating func key(start: Int, end: Int, traits: JSONStringTraits) {}
    @inline(__always) mutating func string(start: Int, end: Int, traits: JSONStringTraits) {}
    @inline(__always) mutating func scalar(_ kind: JSONKind, start: Int, end: Int) {}
}
