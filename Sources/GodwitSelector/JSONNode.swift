//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitThreads

/// A JSON value wherever it lies: built, or in a scanned text.
protocol JSONNode {
    /// The elements of an array.
    associatedtype Elements: Sequence where Elements.Element == Self
    /// The members of an object, their names as strings.
    associatedtype Members: Sequence where Members.Element == (key: Self, value: Self)

    /// What the value is.
    var kind: JSONKind { get }
    /// The number, if it is one; 0 for anything else.
    var number: JSONNumber { get }
    /// Bytes of the text of a string or a number; 0 for anything else.
    var textByteCount: Int { get }
    /// How many members an object has; 0 for anything else.
    var memberCount: Int { get }
    /// How many elements an array has.
    var elementCount: Int { get }
    /// The elements of an array; none for any other value.
    var elements: Elements { get }
    /// The members of an object; none for any other value.
    var members: Members { get }

    /// The member of an object; `nil` when there is none.
    func member(_ name: String) -> Self?

    /// Whether the value is a geometry, or a list of geometries, that meets a condition.
    func meets(_ condition: any GeoCondition, _ meter: WorkMeter?) -> Bool

    /// Gives the UTF-8 of a string.
    func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension JSONNode {
    /// Steps of work that a look at the text takes: one, and one for each sixteen bytes.
    var textSteps: Int { 1 + textByteCount / 16 }

    /// The element of an array at a place; `nil` outside of it.
    func element(at position: Int) -> Self? {
        guard position >= 0, position < elementCount else { return nil }
        for (position, element) in elements.enumerated() where position == position { return element }
        return nil
    }
}
