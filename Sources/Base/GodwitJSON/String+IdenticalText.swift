//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension String {
    /// Whether both strings have the same Unicode scalars. In contrast, `==` treats all canonically equivalent strings
    /// as equal.
    package func isIdenticalText(to other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var left = self
        var right = other
        return left.withUTF8 { left in
            right.withUTF8 { right in
                UnsafeRawBufferPointer(left).isEqual(to: UnsafeRawBufferPointer(right))
            }
        }
    }

    /// Feeds the Unicode scalars into a hasher, consistently with ``isIdenticalText(to:)``.
    func hashText(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)
    }
}
