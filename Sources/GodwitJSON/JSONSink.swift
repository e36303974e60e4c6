//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What listens to a scan.
///
/// The scanner reports each value once it is known to be right, in the order of the text, by byte offsets; `end` is
/// one past the last byte. Whoever conforms holds the bytes itself if it wants them. A scan may still fail after calls
/// have been made: what was gathered until then is then worth nothing.
///
/// The scanner is specialised for each sink of this module, so that a sink that does nothing costs nothing.
package protocol JSONSink {
    /// An array or an object opens at `start`.
    mutating func open(_ kind: JSONKind, at start: Int)
    /// The innermost array or object closes; its last byte lies at `end - 1`.
    mutating func close(endingAt end: Int)
    /// A member's name, its quotes included. Its value comes next.
    mutating func key(start: Int, end: Int, traits: JSONStringTraits)
    /// A string, its quotes included.
    mutating func string(start: Int, end: Int, traits: JSONStringTraits)
    /// A number or a literal.
    mutating func scalar(_ kind: JSONKind, start: Int, end: Int)
}

/// The sink that ignores everything: a scan into it is validation alone.
struct JSONNullSink: JSONSink {
    @inline(__always) mutating func open(_ kind: JSONKind, at start: Int) {}
    @inline(__always) mutating func close(endingAt end: Int) {}
    @inline(__always) mutating func key(start: Int, end: Int, traits: JSONStringTraits) {}
    @inline(__always) mutating func string(start: Int, end: Int, traits: JSONStringTraits) {}
    @inline(__always) mutating func scalar(_ kind: JSONKind, start: Int, end: Int) {}
}
