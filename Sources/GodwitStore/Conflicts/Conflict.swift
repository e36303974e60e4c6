//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The sides of a document's conflict.
public struct Conflict: Sendable {
    /// The document's id.
    public let id: String
    /// The live leaves, the winner first; deleted ones are no side.
    public let leaves: [Document]
    /// The youngest revision from which all of them descend; `nil` when it is unknown or its body is no longer kept.
    public let ancestor: Document?

    /// The leaf that readers see.
    public var winner: Document { leaves[0] }
}

/// What becomes of a conflict.
public enum Resolution: Sendable {
    /// One leaf stays as it is, by its revision; the others are deleted.
    case keep(RevisionID)
    /// A new revision of the winner; the other leaves are deleted. Only body and attachments of the document count.
    case merge(Document)
    /// Nothing changes.
    case leave
}

/// Decides what becomes of a conflict.
///
/// It must be a pure function of the sides: two devices that resolve the same conflict alike make the same revision and
/// agree; anything else, such as the time or the name of the device, makes them disagree for ever.
public struct ConflictResolver: Sendable {
    let resolve: @Sendable (Conflict) throws -> Resolution

    /// Makes a resolver of a pure function.
    public init(_ resolve: @escaping @Sendable (Conflict) throws -> Resolution) { self.resolve = resolve }

    /// Keeps the winner that every replica agrees on.
    public static let keepWinner = ConflictResolver { .keep($0.winner.revision!) }

    /// Keeps the leaf whose member is greatest: numbers before texts are compared by value, texts bytewise, so that an ISO
    /// 8601 time in UTC compares as a time. A leaf without the member is the oldest; the winner wins a draw.
    ///
    /// - Parameter member: The name of a top-level member, for example `updated`.
    public static func newest(by member: String) -> ConflictResolver {
        ConflictResolver { conflict in
            let newest = conflict.leaves.reduce(conflict.winner) { newest, leaf in
                isOlder(newest.body[member], than: leaf.body[member]) ? leaf : newest
            }
            return .keep(newest.revision!)
        }
    }

    /// Merges the leaves member by member over their common ancestor, one after the other, beginning with the winner.
    ///
    /// What one side alone changed is taken from it; where both changed a member, the winner's stays. Attachments are
    /// merged by name in the same way. Without a known ancestor everything counts as added.
    ///
    /// - Parameter arraysOfScalarsAsSets: Whether arrays of texts, numbers and booleans are merged as sets.
    public static func threeWayMerge(arraysOfScalarsAsSets: Bool = false) -> ConflictResolver {
        ConflictResolver { .merge($0.threeWayMerge(arraysOfScalarsAsSets: arraysOfScalarsAsSets)) }
    }

    private static func isOlder(_ left: JSONValue?, than right: JSONValue?) -> Bool {
        switch (left, right) {
        case (_, nil): return false
        case (nil, _): return true
        case (.string(let left)?, .string(let right)?): return left.utf8.lexicographicallyPrecedes(right.utf8)
        case (let left?, let right?):
            if let left = left.doubleValue, let right = right.doubleValue { return left < right }
            return left.doubleValue != nil && right.stringValue != nil
        }
    }
}

extension Conflict {
    /// The leaves merged member by member over their common ancestor, as
    /// ``ConflictResolver/threeWayMerge(arraysOfScalarsAsSets:)`` does it, for a resolver that goes on from there.
    public func threeWayMerge(arraysOfScalarsAsSets: Bool = false) -> Document {
        var merged = winner
        for leaf in leaves.dropFirst() {
            merged.body =
                JSONObject.merged(
                    base: ancestor?.body ?? [:], ours: merged.body, theirs: leaf.body,
                    arraysOfScalarsAsSets: arraysOfScalarsAsSets
                ).object
            merged.attachments = Conflict.merged(
                base: ancestor?.attachments ?? [:], ours: merged.attachments, theirs: leaf.attachments)
        }
        return merged
    }

    private static func merged(
        base: [String: Attachment], ours: [String: Attachment], theirs: [String: Attachment]
    ) -> [String: Attachment] {
        var merged = ours
        for name in Set(base.keys).union(theirs.keys) where ours[name]?.digest == base[name]?.digest {
            merged[name] = theirs[name]
        }
        return merged
    }
}
