//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension RevisionTree {
    private enum Flag {
        static let deleted: UInt8 = 1
        static let followsPrevious: UInt8 = 2
        static let root: UInt8 = 4
        static let hasPosition: UInt8 = 8
    }

    /// The encoded tree; `nil` if the tree consists of a single revision, because the row contains this revision as its
    /// winner.
    var encoded: [UInt8]? {
        guard nodes.count > 1 || olderCount > 0 else { return nil }
        var writer = ByteWriter()
        writer.append(olderCount)
        for (index, node) in nodes.enumerated() {
            let flags = (node.isDeleted ? Flag.deleted : 0) | (node.position > 0 ? Flag.hasPosition : 0)
            // The reader computes the generation of each revision from its parent.
            invariant(
                node.parent.map { nodes[$0].revision.generation == node.revision.generation - 1 } ?? true,
                "a parent is one generation older")
            switch node.parent {
            case nil:
                writer.append(raw: flags | Flag.root)
                writer.append(node.revision.generation)
            case index - 1: writer.append(raw: flags | Flag.followsPrevious)
            case let parent?:
                invariant(parent < index, "parents precede their children")
                writer.append(raw: flags)
                writer.append(parent)
            }
            writer.append(node.revision.hash)
            if node.position > 0 { writer.append(Int(node.position)) }
        }
        return writer.bytes
    }

    init(decoding bytes: UnsafeRawBufferPointer) throws(StoreError) {
        self.init()
        var reader = ByteReader(bytes)
        olderCount = try reader.number()
        guard olderCount <= Int(Int32.max) else { throw .damagedRow }
        nodes.reserveCapacity(bytes.count / 17)
        while !reader.isAtEnd { nodes.append(try nextNode(&reader)) }
        guard !nodes.isEmpty else { throw .damagedRow }
    }

    private func nextNode(_ reader: inout ByteReader) throws(StoreError) -> Node {
        let flags = try reader.byte()
        var node = try nextNode(flags, &reader)
        if flags & Flag.hasPosition != 0 { node.position = Int64(try reader.number()) }
        return node
    }

    private func nextNode(_ flags: UInt8, _ reader: inout ByteReader) throws(StoreError) -> Node {
        let isDeleted = flags & Flag.deleted != 0
        if flags & Flag.root != 0 {
            return Node(revision: try RevisionID(decoding: &reader), parent: nil, isDeleted: isDeleted)
        }
        let parent = flags & Flag.followsPrevious != 0 ? nodes.count - 1 : try reader.number()
        guard nodes.indices.contains(parent) else { throw .damagedRow }
        let revision = RevisionID(generation: nodes[parent].revision.generation + 1, hash: try reader.hash())
        return Node(revision: revision, parent: parent, isDeleted: isDeleted)
    }
}

extension [RevisionTree.Node] {
    /// The encoded segment, with the oldest revision first. No parents are encoded, because the parent of each revision
    /// is the revision before it. As in a tree, the encoding of each revision begins with its flags: 1 for a deletion,
    /// 8 if the position of its body follows.
    var encodedSegment: [UInt8] {
        var writer = ByteWriter()
        for node in self {
            writer.append(raw: (node.isDeleted ? 1 : 0) | (node.position > 0 ? 8 : 0))
            writer.append(node.revision.generation)
            writer.append(node.revision.hash)
            if node.position > 0 { writer.append(Int(node.position)) }
        }
        return writer.bytes
    }

    init(decodingSegment bytes: UnsafeRawBufferPointer) throws(StoreError) {
        self = []
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let flags = try reader.byte()
            var node = RevisionTree.Node(
                revision: try RevisionID(decoding: &reader), parent: nil, isDeleted: flags & 1 != 0)
            if flags & 8 != 0 { node.position = Int64(try reader.number()) }
            append(node)
        }
    }
}

extension [RevisionTree.Leaf] {
    /// The encoded leaves; `nil` if the array is empty.
    var encoded: [UInt8]? {
        guard !isEmpty else { return nil }
        var writer = ByteWriter()
        for leaf in self {
            writer.append(raw: leaf.isDeleted ? 1 : 0)
            writer.append(leaf.revision.generation)
            writer.append(leaf.revision.hash)
        }
        return writer.bytes
    }

    init(decoding bytes: UnsafeRawBufferPointer) throws(StoreError) {
        self = []
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let isDeleted = try reader.byte() == 1
            append(RevisionTree.Leaf(revision: try RevisionID(decoding: &reader), isDeleted: isDeleted))
        }
    }
}
