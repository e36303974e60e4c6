//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestKit
import Testing

@testable import GodwitStore

@Suite("Coding of revision trees")
struct RevisionTreeCodingTests {
    private func decoded(_ bytes: [UInt8]) throws -> RevisionTree {
        try bytes.withUnsafeBytes { bytes throws(StoreError) in try RevisionTree(decoding: bytes) }
    }

    private func tree(_ world: TreeWorld) -> RevisionTree {
        var tree = RevisionTree()
        for leaf in world.leafIndices { tree.graft(leaf, of: world) }
        return tree
    }

    @Test("Every small tree survives a round trip")
    func roundTrip() throws {
        for world in TreeWorld.allWithDeletions(nodesMax: 5) {
            let tree = tree(world)
            let leaves = try tree.leaves.encoded?.withUnsafeBytes { bytes throws(StoreError) in
                try [RevisionTree.Leaf](decoding: bytes)
            }
            #expect(leaves == tree.leaves)
            guard let encoded = tree.encoded else {
                #expect(tree.nodes.count == 1)
                continue
            }
            #expect(try decoded(encoded) == tree)
        }
        #expect([RevisionTree.Leaf]().encoded == nil)
    }

    @Test("Revisions of 128 bits and a tree with older ancestry survive a round trip")
    func digests() throws {
        var generator = SeededGenerator(seed: 1)
        var tree = RevisionTree()
        for generation in 1...100 {
            let revision = RevisionID(generation: generation, hash: .init(digest: generator.bytes(16)))
            tree.append(revision, parent: generation == 1 ? nil : generation - 2, isDeleted: generation % 7 == 0)
        }
        let whole = try #require(tree.encoded)
        #expect(try decoded(whole) == tree)
        #expect(whole.count < 100 * 18 + 4)
        while tree.takeSegment() != nil {}
        #expect(tree.nodes.count <= StoreLimits.recentRevisionsMax)
        #expect(try decoded(try #require(tree.encoded)) == tree)
    }

    @Test("Truncated bytes throw, or are a shorter tree")
    func truncation() throws {
        for world in TreeWorld.all(nodesMax: 5) {
            guard let bytes = tree(world).encoded else { continue }
            for count in bytes.indices { check(Array(bytes[..<count])) }
        }
    }

    @Test("Flipped bytes never trap", arguments: 0..<8 as Range<UInt64>)
    func flips(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let world = try #require(TreeWorld.all(nodesMax: 6).randomElement(using: &generator))
        var tree = tree(world)
        let digest = RevisionID.Hash(digest: generator.bytes(16))
        tree.append(RevisionID(generation: 2, hash: digest), parent: 0, isDeleted: true)
        let bytes = try #require(tree.encoded)
        for position in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[position] ^= 1 << bit
                check(damaged)
            }
        }
        for _ in 0..<500 { check(generator.bytes(Int.random(in: 0...40, using: &generator))) }
    }

    @Test("A child of the highest generation is reported as damage and does not overflow")
    func generationOverflow() {
        var writer = ByteWriter()
        writer.append(0)
        writer.append(raw: 4)
        writer.append(Int.max)
        writer.append(raw: [1, 65, 2, 1, 66])
        let bytes = writer.bytes
        let error = #expect(throws: StoreError.self) { try decoded(bytes) }
        #expect(error?.code == .corrupt)
    }

    /// Decodes a tree, and uses it as a reader and a writer do.
    private func check(_ bytes: [UInt8]) {
        do {
            var tree = try decoded(bytes)
            _ = tree.leaves
            for position in tree.nodes.indices { _ = tree.path(from: position) }
            while tree.takeSegment() != nil {}
            _ = tree.encoded
        } catch {
            #expect((error as? StoreError)?.code == .corrupt)
        }
        let leaves = Result {
            try bytes.withUnsafeBytes { bytes throws(StoreError) in try [RevisionTree.Leaf](decoding: bytes) }
        }
        if case .failure(let error) = leaves { #expect((error as? StoreError)?.code == .corrupt) }
        let records = Result {
            try bytes.withUnsafeBytes { bytes throws(StoreError) in try [AttachmentRecord](decoding: bytes) }
        }
        if case .failure(let error) = records { #expect((error as? StoreError)?.code == .corrupt) }
    }
}
