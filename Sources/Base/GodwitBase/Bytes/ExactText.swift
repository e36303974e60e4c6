//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A text that is compared and ordered by its bytes, as ids are. Two ids that are canonically equivalent in Unicode but
/// differ in their bytes identify different documents.
package struct ExactText: Hashable, Comparable, Sendable {
    /// The text, unchanged.
    package let text: String

    /// The bytes of the text.
    package var utf8: String.UTF8View { text.utf8 }

    /// Whether two texts have the same bytes, or both are absent.
    package static func areEqual(_ left: String?, _ right: String?) -> Bool {
        left.map { ExactText($0) } == right.map { ExactText($0) }
    }

    /// Creates a text that is compared by its bytes, without Unicode normalization.
    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
