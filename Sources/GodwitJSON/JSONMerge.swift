//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a three-way merge came to; see ``JSONObject/merged(base:ours:theirs:arraysOfScalarsAsSets:)``.
public struct JSONMerge: Hashable, Sendable {
    /// The merged object; where both sides could not be had, it holds ours.
    public let object: JSONObject

    /// Where both sides changed the same thing differently: the names that lead to each such member, from the
    /// outermost object inwards. Empty when nothing of either side was lost.
    public let conflicts: [[String]]
}

extension JSONObject {
    /// Merges two descendants of an object, member by member.
    ///
    /// A member that one side changed, added or removed takes that side; one that both changed alike takes it once.
    /// A member that is an object on both sides is merged in the same way. Anything else that both changed is a
    /// conflict, and ours wins; arrays are compared as wholes. Values are the same when they are equal as
    /// ``JSONValue``, names when their Unicode scalars are.
    ///
    /// Members stand in the order of ours, then those that only theirs brings in the order of theirs. Equal inputs with
    /// equal orders give equal bytes.
    ///
    /// ```swift
    /// let merge = JSONObject.merged(base: ["km": 1], ours: ["km": 2], theirs: ["km": 1, "by": "ana"])
    /// merge.object     // {"km":2,"by":"ana"}
    /// merge.conflicts  // []
    /// ```
    ///
    /// - Parameters:
    ///   - base: What both sides were made from; empty when there is none.
    ///   - ours: The side that wins a conflict.
    ///   - theirs: The other side.
    ///   - arraysOfScalarsAsSets: Whether two arrays without objects and arrays in them, which both sides changed, are
    ///     merged as sets: what either side removed goes, what either side added comes, ours first, nothing twice.
    /// - Returns: The merged object and the conflicts.
    /// - Complexity: O(*n*) on average in the size of the three objects.
    public static func merged(
        base: JSONObject, ours: JSONObject, theirs: JSONObject, arraysOfScalarsAsSets: Bool = false
    ) -> JSONMerge {
        var merger = JSONMerger(
            base: base, ours: ours, theirs: theirs, arraysOfScalarsAsSets: arraysOfScalarsAsSets)
        let object = merger.run()
        return JSONMerge(object: object, conflicts: merger.conflicts)
    }
}
