//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import GodwitStore

/// The revisions that a replication could not write, for example because the user may not write design documents at the
/// target.
///
/// The checkpoint contains them. Each later run tries them again and reports them, until the target accepts them or the
/// source has a newer revision in their place.
package struct LeftOut: Equatable, Sendable {
    private var revisions: [ExactText: Set<RevisionID>] = [:]
    /// The length of the texts, in bytes.
    private var bytes = 0

    /// The maximum number of documents in the list.
    static let countMax = 1_000
    /// The maximum length of the texts, in bytes.
    static let bytesMax = 64 << 10

    private static let member = "left_out"

    /// Creates an empty list.
    init() {}

    /// Reads the lists of checkpoints. If one side was restored, the lists of both sides may differ.
    package init(of checkpoints: JSONObject?...) {
        for checkpoint in checkpoints {
            for (id, list) in checkpoint?[LeftOut.member]?.objectValue ?? [:] {
                for revision in list.arrayValue ?? [] {
                    if let revision = revision.stringValue.flatMap({ RevisionID($0) }) { _ = add(id, revision) }
                }
            }
        }
    }

    var isEmpty: Bool { revisions.isEmpty }

    /// The revisions, by document.
    var changes: [RevisionsOfDocument] {
        revisions.sorted { $0.key < $1.key }.map {
            RevisionsOfDocument(id: $0.key.text, revisions: $0.value.sorted { "\($0)" < "\($1)" })
        }
    }

    /// Returns changes without the revisions of the list.
    func removing(from changes: [RevisionsOfDocument]) -> [RevisionsOfDocument] {
        changes.compactMap { change in
            guard let listed = revisions[ExactText(change.id)] else { return change }
            let others = change.revisions.filter { !listed.contains($0) }
            return others.isEmpty ? nil : RevisionsOfDocument(id: change.id, revisions: others)
        }
    }

    /// The members of a checkpoint.
    var members: JSONObject {
        guard !isEmpty else { return [:] }
        return [
            LeftOut.member: .object(
                JSONObject(changes.map { ($0.id, .array($0.revisions.map { .string("\($0)") })) }))
        ]
    }

    /// Adds a revision.
    ///
    /// - Returns: Whether the list contains the revision now. It does not if it is full.
    mutating func add(_ id: String, _ revision: RevisionID) -> Bool {
        let (key, length) = (ExactText(id), LeftOut.length(id, revision))
        if revisions[key]?.contains(revision) == true { return true }
        guard bytes + length <= LeftOut.bytesMax, revisions.count < LeftOut.countMax || revisions[key] != nil else {
            return false
        }
        revisions[key, default: []].insert(revision)
        bytes += length
        invariant(
            bytes <= LeftOut.bytesMax && revisions.count <= LeftOut.countMax,
            "the list of revisions that were left out keeps its limits")
        return true
    }

    /// Removes a revision that need not be tried again.
    mutating func remove(_ id: String, _ revision: RevisionID) {
        guard revisions[ExactText(id)]?.remove(revision) != nil else { return }
        bytes -= LeftOut.length(id, revision)
        if revisions[ExactText(id)]?.isEmpty == true { revisions[ExactText(id)] = nil }
        invariant(bytes >= 0 && (bytes == 0) == revisions.isEmpty, "an empty list has no bytes")
    }

    private static func length(_ id: String, _ revision: RevisionID) -> Int {
        id.utf8.count + revision.description.utf8.count
    }
}
