//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension JSONObject {
    /// What a merge made of two objects.
    public struct Merged: Sendable {
        /// The members of both.
        public let object: JSONObject
        /// The paths of members that both sides changed in different ways; ours was taken.
        public let conflicts: [[String]]
    }

    /// Merges two descendants of an object member by member.
    ///
    /// A member that one side alone changed, added or removed is taken from that side. Where both changed it, two objects
    /// are merged in the same way, two arrays of scalars as sets when that is asked for, and of anything else ours stays.
    /// The order of members is ours, then that of what theirs adds, so that equal inputs give equal bytes.
    ///
    /// - Parameters:
    ///   - base: What both descend from; empty when it is unknown, and then everything counts as added.
    ///   - ours: The side that wins.
    ///   - theirs: The other side.
    ///   - arraysOfScalarsAsSets: Whether of arrays that hold neither arrays nor objects what either side removed goes and
    ///     what either side added comes, in our order.
    public static func merged(
        base: JSONObject, ours: JSONObject, theirs: JSONObject, arraysOfScalarsAsSets: Bool = false
    ) -> Merged {
        var merge = Merge(arraysAsSets: arraysOfScalarsAsSets)
        let object = merge.merge(base, ours, theirs, at: [])
        return Merged(object: object, conflicts: merge.conflicts)
    }

    private struct Merge {
        let arraysAsSets: Bool
        var conflicts: [[String]] = []

        /// Recursive: a value is at most `valueDepthMax` deep.
        mutating func merge(
            _ base: JSONObject, _ ours: JSONObject, _ theirs: JSONObject, at path: [String]
        ) -> JSONObject {
            var merged: JSONObject = [:]
            for (name, value) in ours {
                merged[name] = member(base[name], value, theirs[name], at: path + [name])
            }
            for (name, value) in theirs where ours[name] == nil {
                merged[name] = member(base[name], nil, value, at: path + [name])
            }
            return merged
        }

        private mutating func member(
            _ base: JSONValue?, _ ours: JSONValue?, _ theirs: JSONValue?, at path: [String]
        ) -> JSONValue? {
            if ours == theirs || theirs == base { return ours }
            if ours == base { return theirs }
            switch (ours, theirs) {
            case (.object(let ours)?, .object(let theirs)?):
                return .object(merge(base?.objectValue ?? [:], ours, theirs, at: path))
            case (.array(let ours)?, .array(let theirs)?) where arraysAsSets && areScalars(ours) && areScalars(theirs):
                return .array(Merge.set(base?.arrayValue ?? [], ours, theirs))
            default:
                conflicts.append(path)
                return ours
            }
        }

        private func areScalars(_ values: [JSONValue]) -> Bool {
            values.allSatisfy { $0.objectValue == nil && $0.arrayValue == nil }
        }

        private static func set(_ base: [JSONValue], _ ours: [JSONValue], _ theirs: [JSONValue]) -> [JSONValue] {
            let (old, mine, yours) = (Set(base), Set(ours), Set(theirs))
            let kept = ours.filter { yours.contains($0) || !old.contains($0) }
            let added = theirs.filter { !mine.contains($0) && !old.contains($0) }
            return kept + added
        }
    }
}
