//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The sink that builds the entries of a tape.
///
/// The builder needs no stack. While a container is open, the `next` of its entry stores the index of its parent. While
/// an inner container is open, the `end` of the outer container's entry stores the number of children that the outer
/// container has so far.
struct JSONTapeBuilder: JSONSink {
    private(set) var entries: [JSONTapeEntry] = []
    private(set) var depthReached = 0
    private var depth = 0
    /// The index of the innermost open container; ``noParent`` at the outermost level.
    private var containerIndex = noParent
    /// The number of children of the innermost open container so far.
    private var childCount: UInt32 = 0

    private static let noParent = Int(UInt32.max)
    /// The number of bytes of text for which the capacity of one entry is reserved.
    private static let bytesPerEntry = 6
    private static let entriesReservedMin = 16

    init(bytesCount: Int) {
        entries.reserveCapacity(bytesCount / Self.bytesPerEntry + Self.entriesReservedMin)
    }

    @inline(__always)
    mutating func open(_ kind: JSONKind, at start: Int) {
        childCount &+= 1
        if containerIndex != Self.noParent { entries[containerIndex].end = childCount }
        let index = entries.count
        entries.append(JSONTapeEntry(kind, start: start, end: start, next: containerIndex))
        containerIndex = index
        childCount = 0
        depth &+= 1
        depthReached = max(depthReached, depth)
    }

    @inline(__always)
    mutating func close(endingAt end: Int) {
        let parent = Int(entries[containerIndex].next)
        entries[containerIndex].end = UInt32(truncatingIfNeeded: end)
        entries[containerIndex].next = UInt32(truncatingIfNeeded: entries.count)
        entries[containerIndex].setCount(childCount)
        containerIndex = parent
        if parent != Self.noParent { childCount = entries[parent].end }
        depth &-= 1
    }

    @inline(__always)
    mutating func key(start: Int, end: Int, traits: JSONStringTraits) {
        append(JSONTapeEntry(.string, start: start, end: end, next: entries.count &+ 1, traits: traits, isName: true))
    }

    @inline(__always)
    mutating func string(start: Int, end: Int, traits: JSONStringTraits) {
        childCount &+= 1
        append(JSONTapeEntry(.string, start: start, end: end, next: entries.count &+ 1, traits: traits))
    }

    @inline(__always)
    mutating func scalar(_ kind: JSONKind, start: Int, end: Int) {
        childCount &+= 1
        append(JSONTapeEntry(kind, start: start, end: end, next: entries.count &+ 1))
    }

    @inline(__always)
    private mutating func append(_ entry: JSONTapeEntry) {
        entries.append(entry)
    }
}
