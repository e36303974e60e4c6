//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitStore

extension JSONTape {
    /// A member that is a text; empty when it is not there.
    package func text(_ name: StaticString, of index: Int) -> String {
        member(name, of: index).flatMap { kind($0) == .string ? string($0) : nil } ?? ""
    }

    /// A place in a feed as text: a string as it is, anything else as its JSON.
    package func sequence(_ index: Int) -> String {
        kind(index) == .string ? string(index) : String(decoding: slice(index), as: UTF8.self)
    }

    /// A revision; `nil` when it is none.
    package func revision(_ index: Int) -> RevisionID? { kind(index) == .string ? RevisionID(string(index)) : nil }

    /// The revisions of a member that is a list; none when it is anything else.
    package func revisions(_ name: StaticString, of index: Int) -> [RevisionID] {
        guard let list = member(name, of: index), kind(list) == .array else { return [] }
        return elements(of: list).compactMap { revision($0) }
    }

    /// The elements of a member that is a list; none when it is anything else.
    package func list(_ name: StaticString, of index: Int) -> [Int] {
        guard kind(index) == .object, let list = member(name, of: index), kind(list) == .array else { return [] }
        return Array(elements(of: list))
    }
}

extension JSONLimits {
    /// An answer holds documents within a few levels of its own.
    package static let replicated = JSONLimits(depthMax: StoreLimits.default.depthMax + 8)
}
