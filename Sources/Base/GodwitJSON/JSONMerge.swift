//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The result of a three-way merge; see ``JSONObject/merged(base:ours:theirs:arraysOfScalarsAsSets:)``.
public struct JSONMerge: Hashable, Sendable {
    /// The merged object. If a member is in conflict, the object contains our value of the member. If our side removed
    /// the member, the object does not contain it.
    public let object: JSONObject

    /// The members that both sides changed differently. Each conflict is the path of a member: the names from the
    /// outermost object to the member itself. The list is empty when no change of either side was lost.
    public let conflicts: [[String]]
}

extension JSONObject {
    /// Merges two changed versions of an object, member by member.
    ///
    /// A member that only one side changed, added or removed gets that side's state. If both sides changed a member to
    /// equal states, the member gets that state. A member that is an object on both sides is merged by the same rules.
    /// Any other member that both sides changed is a conflict, and our side wins. Arrays are compared as single values.
    /// Values are equal if they are equal as ``JSONValue``, and names are equal if they have the same Unicode scalars.
    ///
    /// The result has our members in our order, then the members that only `theirs` has, in its order. If the inputs
    /// are equal and their members have the same order, the JSON text of the result is always the same.
    ///
    /// ```swift
    /// let merge = JSONObject.merged(base: ["km": 1], ours: ["km": 2], theirs: ["km": 1, "by": "ana"])
    /// merge.object     // {"km":2,"by":"ana"}
    /// merge.conflicts  // []
    /// ```
    ///
    /// - Parameters:
    ///   - base: The object that both sides changed; empty when it is unknown.
    ///   - ours: The side that wins a conflict.
    ///   - theirs: The other side.
    ///   - arraysOfScalarsAsSets: Whether two arrays that both sides changed are merged as sets. Arrays that contain
    ///     arrays or objects are never merged as sets. A merged array contains the elements of `base` that neither side
    ///     removed, and the elements that either side added. The elements of `ours` come first, then the elements of
    ///     `theirs`. Each element occurs once.
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
