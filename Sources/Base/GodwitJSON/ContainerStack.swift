//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A stack of the open arrays and objects of a scan. Each of these containers is represented by one bit, which says
/// whether the container is an object.
///
/// The innermost levels, at most 64, are in one machine word. Deeper levels are moved to an array, 64 at a time, so a
/// text of at most 64 levels allocates nothing.
struct ContainerStack {
    private(set) var depth = 0
    private var topBits: UInt64 = 0
    private var lowerBits: [UInt64] = []

    private static let bitsPerWord = 64

    /// Whether the innermost open container is an object.
    @inline(__always)
    var topIsObject: Bool { topBits & 1 == 1 }

    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth % Self.bitsPerWord == 0 && depth > 0 {
            lowerBits.append(topBits)
        }
        topBits = topBits << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    @inline(__always)
    mutating func pop() {
        topBits >>= 1
        depth -= 1
        if depth % Self.bitsPerWord == 0 && depth > 0 {
            topBits = lowerBits.removeLast()
        }
    }
}
