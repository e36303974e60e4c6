//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
package import GodwitJSON
import GodwitStore

/// The documents that a replication could not write, for example because the user may not write design documents at the
/// target.
///
/// The checkpoint contains them, so that each later run tries them again and reports them, until the target accepts them.
/// A list of revisions costs little. A replication of a selection has no list, because a revision of the list could
/// have descendants that no longer belong to the selection: its next run compares all changes after a sequence again.
/// The same applies if the list is full.
package struct LeftOut: Equatable, Sendable {
    /// The revisions to try again, by document.
    private var revisions: [ExactText: Set<RevisionID>] = [:]
    /// The source's sequence after which the next run compares all changes again, `0` for all; `nil` if the list is
    /// complete.
    private(set) var since: String?
    /// The length of the list's texts, in bytes.
    private var bytes = 0

    /// The maximum number of documents in the list.
    static let countMax = 1_000
    /// The maximum length of the list's texts, in bytes.
    static let bytesMax = 64 << 10

    private static let member = "left_out"
    private static let sinceMember = "left_out_since"

    /// Creates an empty list.
    init() {}

    /// Reads the list of a checkpoint. Both sides have a checkpoint; if one of them was restored, the lists may differ.
    package init(of checkpoints: JSONObject?...) {
        for checkpoint in checkpoints.compactMap(\.self) {
            since = since ?? checkpoint[LeftOut.sinceMember]?.stringValue
            for (id, list) in checkpoint[LeftOut.member]?.objectValue ?? [:] {
                for revision in list.arrayValue ?? [] {
                    if let revision = revision.stringValue.flatMap({ RevisionID($0) }) { add(id, revision, since: "0") }
                }
            }
        }
    }

    /// Whether nothing was left out.
    var isEmpty: Bool { revisions.isEmpty && since == nil }

    /// The revisions of the list.
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
        var members: JSONObject = [:]
        if !revisions.isEmpty {
            members[LeftOut.member] = .object(
                JSONObject(changes.map { ($0.id, .array($0.revisions.map { .string("\($0)") })) }))
        }
        if let since { members[LeftOut.sinceMember] = .string(since) }
        return members
    }

    /// Adds a revision to the list.
    ///
    /// - Parameters:
    ///   - revision: The revision; `nil` if it is unknown.
    ///   - since: A sequence of the source before the change of the revision. It is used if the list is full.
    mutating func add(_ id: String, _ revision: RevisionID?, since: String) {
        let length = id.utf8.count + (revision?.description.utf8.count ?? 0)
        let key = ExactText(id)
        guard let revision, bytes + length <= LeftOut.bytesMax,
            revisions.count < LeftOut.countMax || revisions[key] != nil
        else { return addAll(after: since) }
        if revisions[key, default: []].insert(revision).inserted { bytes += length }
    }

    /// Adds all changes after a sequence of the source, unless an earlier sequence was added.
    mutating func addAll(after sequence: String) { since = since ?? sequence }
}
