//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// A JSON value of either representation: decoded, or in a scanned text. Selectors are evaluated against it.
protocol JSONNode {
    /// The elements of an array.
    associatedtype Elements: Sequence where Elements.Element == Self
    /// The members of an object. Their names are represented as string nodes.
    associatedtype Members: Sequence where Members.Element == (key: Self, value: Self)

    /// The kind of the value.
    var kind: JSONKind { get }
    /// The number; 0 for a value of another kind.
    var number: JSONNumber { get }
    /// An estimate of the number of bytes of the value's text, for counting work. The estimate is 0 for all values
    /// except strings, integers of more than 64 bits, and numbers in a scanned text.
    var textByteCount: Int { get }
    /// The number of members of an object; 0 for a value of another kind.
    var memberCount: Int { get }
    /// The number of elements of an array; 0 for a value of another kind.
    var elementCount: Int { get }
    /// The elements of an array; empty for a value of another kind.
    var elements: Elements { get }
    /// The members of an object; empty for a value of another kind.
    var members: Members { get }

    /// Returns the value of an object's member; `nil` when the value is not an object or has no such member.
    func member(_ name: String) -> Self?

    /// Whether the value is a geometry that matches a condition, or an array that contains one.
    func meets(_ condition: any GeoCondition, _ meter: WorkMeter?) -> Bool

    /// Calls the closure with the UTF-8 of a string.
    func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension JSONNode {
    /// The number of steps of work for reading the text: 1, plus 1 for each 16 bytes.
    var textSteps: Int { 1 + textByteCount / 16 }

    /// Returns the element of an array at an index; `nil` when the index is out of bounds.
    func element(at index: Int) -> Self? {
        guard index >= 0, index < elementCount else { return nil }
        for (offset, element) in elements.enumerated() where offset == index { return element }
        return nil
    }
}
