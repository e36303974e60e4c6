//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
package import GodwitStore

extension JSONTape {
    /// The text of a string member, or an empty text if it is absent or of another type.
    package func text(_ name: StaticString, of index: Int) -> String {
        member(name, of: index).flatMap { kind($0) == .string ? string($0) : nil } ?? ""
    }

    /// The reason of an error: a text, or the JSON of any other value that a validation function threw; an empty text if
    /// it is absent.
    package func reason(of index: Int) -> String { member("reason", of: index).map(sequence) ?? "" }

    /// An update sequence as text: a string unchanged, any other value as JSON. A text with too many combining marks in
    /// a row (``CombiningMarks``), which no server sends, is empty.
    package func sequence(_ index: Int) -> String {
        let text = kind(index) == .string ? string(index) : String(decoding: slice(index), as: UTF8.self)
        return text.hasTooManyMarks ? "" : text
    }

    /// The revision that a string contains, or `nil` if the value is not a revision.
    package func revision(_ index: Int) -> RevisionID? { kind(index) == .string ? RevisionID(string(index)) : nil }

    /// The revisions of an array member, or an empty array if it is absent or of another type.
    package func revisions(_ name: StaticString, of index: Int) -> [RevisionID] {
        guard let list = member(name, of: index), kind(list) == .array else { return [] }
        return elements(of: list).compactMap { revision($0) }
    }

    /// The indexes of the elements of an array member, or an empty array if it is absent or of another type.
    package func list(_ name: StaticString, of index: Int) -> [Int] {
        guard kind(index) == .object, let list = member(name, of: index), kind(list) == .array else { return [] }
        return Array(elements(of: list))
    }
}

extension JSONLimits {
    /// The limits for parsing responses, in which documents are nested a few levels deep.
    package static let replicated = JSONLimits(depthMax: StoreLimits.default.depthMax + 8)
}
