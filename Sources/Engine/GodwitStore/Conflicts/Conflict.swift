//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// A conflict: the live leaves of a document and their common ancestor.
public struct Conflict: Sendable {
    /// The document's id.
    public let id: String
    /// The live leaves, the winner first.
    public let leaves: [Document]
    /// The youngest common ancestor of the leaves; `nil` if it is unknown or its body is no longer stored.
    public let ancestor: Document?

    /// The winning leaf, which reads return.
    public var winner: Document { leaves[0] }
}

/// The result of a conflict resolver.
public enum Resolution: Sendable {
    /// Keeps the leaf with this revision unchanged; the other leaves are deleted.
    case keep(RevisionID)
    /// Saves a new revision of the winner; the other leaves are deleted. Only the body and the attachments of the given
    /// document are used.
    case merge(Document)
    /// Nothing changes.
    case leave
}

/// A function that resolves a conflict.
///
/// A resolver must be a pure function of the leaves. Two devices that resolve the same conflict with such a function
/// create the same revision. If the result depended on other data, such as the time or the name of the device, each
/// resolution would create a new conflict.
public struct ConflictResolver: Sendable {
    let resolve: @Sendable (Conflict) throws -> Resolution

    /// Creates a resolver from a pure function.
    public init(_ resolve: @escaping @Sendable (Conflict) throws -> Resolution) { self.resolve = resolve }

    /// Keeps the winner, which is the same on every replica.
    public static let keepWinner = ConflictResolver { .keep($0.winner.revision!) }

    /// Keeps the leaf with the greatest value of a member. Numbers are compared by value. Texts are compared bytewise,
    /// so that ISO 8601 times in UTC are compared as times. A number is less than a text. A leaf without the member is
    /// less than a leaf with it. A value of any other type is treated as equal to every value. If several leaves have
    /// the greatest value, the leaf that CouchDB's rule for winners prefers is kept.
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

    /// Merges the leaves member by member, relative to their common ancestor. The merge begins with the winner, and the
    /// other leaves are merged into it one after the other.
    ///
    /// A member that only one leaf changed gets that leaf's value; if both leaves changed the member, the winner's
    /// value is kept. Members that are objects in both leaves are merged by the same rules. Attachments are merged by
    /// name. If no ancestor is known, every member is treated as added.
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
    /// The result of ``ConflictResolver/threeWayMerge(arraysOfScalarsAsSets:)``, for a resolver that modifies it
    /// further.
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
        base: Attachments, ours: Attachments, theirs: Attachments
    ) -> Attachments {
        var merged = ours
        for name in base.keys + theirs.keys where ExactText.areEqual(ours[name]?.digest, base[name]?.digest) {
            merged[name] = theirs[name]
        }
        return merged
    }
}
