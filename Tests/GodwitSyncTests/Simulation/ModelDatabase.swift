//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync

/// A short reference implementation of a CouchDB database, for the simulator's peers.
struct ModelDatabase {
    struct Attachment: Equatable {
        var type = "text/plain"
        var bytes: [UInt8]
        var position: Int

        var digest: String {
            var digits = Array("md5-".utf8)
            Base64.append(MessageDigest.Algorithm.md5.digest(of: bytes), to: &digits)
            return String(decoding: digits, as: UTF8.self)
        }
    }

    struct Node {
        var parent: RevisionID?
        var isDeleted = false
        /// The body; `nil` for an ancestor of which only the id is known.
        var body: JSONObject?
        var attachments: [String: Attachment] = [:]
    }

    struct Document {
        var nodes: [RevisionID: Node] = [:]
        var sequence = 0

        var leaves: [RevisionID] {
            let parents = Set(nodes.values.compactMap(\.parent))
            return nodes.filter { !parents.contains($0.key) && $0.value.body != nil }.keys.sorted { left, right in
                let (a, b) = (nodes[left]!, nodes[right]!)
                if a.isDeleted != b.isDeleted { return b.isDeleted }
                if left.generation != right.generation { return left.generation > right.generation }
                return left.hashText > right.hashText
            }
        }

        /// Returns a revision and its ancestors, the youngest first.
        func path(from revision: RevisionID) -> [RevisionID] {
            var path = [revision]
            while let parent = nodes[path.last!]?.parent { path.append(parent) }
            return path
        }
    }

    var documents: [String: Document] = [:]
    var locals: [String: JSONObject] = [:]
    var sequence = 0
    /// Changes with each restore from a backup, after which old sequences are invalid.
    var epoch = 1
    /// Changes when the database is made again or restored.
    var instance = 1

    // MARK: Changes

    func changes(after position: String?, limit: Int) -> (rows: [(id: String, sequence: Int)], pending: Int) {
        let parts = (position ?? "0").split(separator: "-").compactMap { Int($0) }
        let start = parts.count == 2 && parts[1] == epoch ? parts[0] : 0
        let rows = documents.map { (id: $0.key, sequence: $0.value.sequence) }.filter { $0.sequence > start }
            .sorted { $0.sequence < $1.sequence }
        return (Array(rows.prefix(limit)), max(0, rows.count - limit))
    }

    func position(_ sequence: Int) -> String { "\(sequence)-\(epoch)" }

    // MARK: Writing

    /// Adds a revision with its history.
    ///
    /// - Returns: CouchDB's name of the error; `nil` without an error.
    mutating func graft(
        _ id: String, path: [RevisionID], isDeleted: Bool, body: JSONObject, attachments: [String: Attachment?]
    ) -> String? {
        var document = documents[id] ?? Document()
        if document.nodes[path[0]]?.body != nil { return nil }
        var found: [String: Attachment] = [:]
        for (name, attachment) in attachments {
            if let attachment {
                found[name] = attachment
            } else {
                let known = path.dropFirst().lazy.compactMap { document.nodes[$0] }.first { $0.body != nil }
                guard let kept = known?.attachments[name] else { return "missing_stub" }
                found[name] = kept
            }
        }
        for (position, revision) in path.enumerated() {
            let parent = position + 1 < path.count ? path[position + 1] : nil
            var node = document.nodes[revision] ?? Node(parent: parent)
            node.parent = node.parent ?? parent
            document.nodes[revision] = node
        }
        document.nodes[path[0]]!.body = body
        document.nodes[path[0]]!.isDeleted = isDeleted
        document.nodes[path[0]]!.attachments = found
        sequence += 1
        document.sequence = sequence
        documents[id] = document
        return nil
    }

    /// Edits a leaf, or creates a new document, as a user would.
    mutating func edit(_ id: String, using random: inout SplitMix) {
        let leaves = documents[id]?.leaves ?? []
        let parent = leaves.isEmpty ? nil : leaves[Int.random(in: 0..<leaves.count, using: &random)]
        let generation = (parent?.generation ?? 0) + 1
        let hash = String(random.next(), radix: 16) + String(random.next(), radix: 16)
        let revision = RevisionID("\(generation)-\(hash)")!
        var attachments = (parent.flatMap { documents[id]?.nodes[$0]?.attachments } ?? [:]).mapValues(Optional.some)
        let isDeleted = parent != nil && Int.random(in: 0..<8, using: &random) == 0
        if isDeleted {
            attachments = [:]
        } else if Int.random(in: 0..<4, using: &random) == 0 {
            let count = Int.random(in: 0..<400, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            attachments["a\(Int.random(in: 0..<3, using: &random)) ä/b"] = Attachment(
                bytes: bytes, position: generation)
        }
        let path = [revision] + (parent.map { documents[id]!.path(from: $0) } ?? [])
        let body: JSONObject = ["v": .string(String(random.next() % 1_000))]
        _ = graft(id, path: path, isDeleted: isDeleted, body: isDeleted ? [:] : body, attachments: attachments)
    }

    // MARK: Comparing

    /// Returns all leaves of all documents with their bodies and attachments.
    func fingerprint(without refused: (String) -> Bool) -> [String: [String]] {
        var all: [String: [String]] = [:]
        for (id, document) in documents where !refused(id) {
            all[id] = document.leaves.map { leaf in
                let node = document.nodes[leaf]!
                let attachments = node.attachments.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.digest)" }
                return "\(leaf) \(node.isDeleted) \(JSONValue.object(node.body ?? [:]).jsonText()) \(attachments)"
            }
        }
        return all
    }
}
