//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Merges three objects with an explicit stack, because recursion would overflow the small stack of a thread in a debug
/// build.
struct JSONMerger {
    /// An object that is being merged, and the index of its next member: first the members of `ours`, then the members
    /// of `theirs`.
    private struct Frame {
        /// The member's name; `nil` for the outermost object.
        let name: String?
        let base: JSONObject
        let ours: JSONObject
        let theirs: JSONObject
        var nextIndex = 0
        var members: [JSONObject.Element] = []

        /// Returns the next name: first the names of `ours`, then those names of `theirs` that `ours` does not have.
        mutating func nextName() -> String? {
            defer { nextIndex += 1 }
            if nextIndex < ours.count { return ours[nextIndex].key }
            while nextIndex < ours.count + theirs.count {
                let name = theirs[nextIndex - ours.count].key
                if ours.position(of: name) == nil { return name }
                nextIndex += 1
            }
            return nil
        }
    }

    /// The paths of the members that both sides changed differently.
    private(set) var conflicts: [[String]] = []

    private let arraysOfScalarsAsSets: Bool
    private var frames: [Frame]

    init(base: JSONObject, ours: JSONObject, theirs: JSONObject, arraysOfScalarsAsSets: Bool) {
        self.arraysOfScalarsAsSets = arraysOfScalarsAsSets
        frames = [Frame(name: nil, base: base, ours: ours, theirs: theirs)]
    }

    /// Merges the objects.
    mutating func run() -> JSONObject {
        while var frame = frames.popLast() {
            if let child = mergeMembers(of: &frame) {
                frames.append(frame)
                frames.append(child)
                continue
            }
            let object = JSONObject(members: frame.members, mayHoldDuplicates: false)
            guard let name = frame.name else { return object }
            frames[frames.count - 1].members.append((name, .object(object)))
        }
        return [:]
    }

    /// Merges the remaining members of an object, up to a member that is an object on both sides.
    ///
    /// - Returns: A frame for that member; `nil` when all members are merged.
    private mutating func mergeMembers(of frame: inout Frame) -> Frame? {
        while let name = frame.nextName() {
            let (base, ours, theirs) = (frame.base[name], frame.ours[name], frame.theirs[name])
            if case .object(let ours) = ours, case .object(let theirs) = theirs {
                return Frame(name: name, base: base?.objectValue ?? [:], ours: ours, theirs: theirs)
            }
            if let value = merged(base: base, ours: ours, theirs: theirs, name: name, in: frame) {
                frame.members.append((name, value))
            }
        }
        return nil
    }

    /// Returns the merged value of a member that is not an object on both sides; `nil` when the member is removed.
    private mutating func merged(
        base: JSONValue?, ours: JSONValue?, theirs: JSONValue?, name: String, in frame: Frame
    ) -> JSONValue? {
        if theirs == base || ours == theirs { return ours }
        if ours == base { return theirs }
        if arraysOfScalarsAsSets, let ours = ours?.scalars, let theirs = theirs?.scalars {
            return .array(Self.union(base: base?.arrayValue ?? [], ours: ours, theirs: theirs))
        }
        conflicts.append((frames + [frame]).compactMap(\.name) + [name])
        return ours
    }

    private static func union(base: [JSONValue], ours: [JSONValue], theirs: [JSONValue]) -> [JSONValue] {
        let baseElements = Set(base)
        let theirElements = Set(theirs)
        var includedElements = Set<JSONValue>()
        let ourElements = ours.filter {
            (theirElements.contains($0) || !baseElements.contains($0)) && includedElements.insert($0).inserted
        }
        return ourElements + theirs.filter { !baseElements.contains($0) && includedElements.insert($0).inserted }
    }
}

extension JSONValue {
    /// The elements, if this is an array that contains no arrays and no objects.
    fileprivate var scalars: [JSONValue]? {
        guard let elements = arrayValue else { return nil }
        let areScalars = elements.allSatisfy { element in
            switch element {
            case .array, .object: false
            default: true
            }
        }
        return areScalars ? elements : nil
    }
}
