//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Scripts/outside.py checks modules together with this file. Its functions have the names and types of those of the
// standard library. Therefore each use is ambiguous or deprecated, and the compiler names it.

@available(*, deprecated, message: "TEXT") func == (l: String, r: String) -> Bool { false }
@available(*, deprecated, message: "TEXT") func != (l: String, r: String) -> Bool { false }
@available(*, deprecated, message: "TEXT") func == (l: String?, r: String?) -> Bool { false }
@available(*, deprecated, message: "TEXT") func != (l: String?, r: String?) -> Bool { false }
@available(*, deprecated, message: "TEXT") func == (l: Substring, r: Substring) -> Bool { false }
@available(*, deprecated, message: "TEXT") func != (l: Substring, r: Substring) -> Bool { false }
@available(*, deprecated, message: "TEXT") func == (l: Character, r: Character) -> Bool { false }
@available(*, deprecated, message: "TEXT") func != (l: Character, r: Character) -> Bool { false }
@available(*, deprecated, message: "TEXT") func == (l: Character?, r: Character?) -> Bool { false }
@available(*, deprecated, message: "TEXT") func != (l: Character?, r: Character?) -> Bool { false }
@available(*, deprecated, message: "TEXT") func ~= (l: String, r: String) -> Bool { false }
@available(*, deprecated, message: "TEXT") func ~= (l: Substring, r: Substring) -> Bool { false }
@available(*, deprecated, message: "TEXT") func ~= (l: Character, r: Character) -> Bool { false }
extension String {
    @available(*, deprecated, message: "TEXT") func hasPrefix(_ p: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func hasSuffix(_ p: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func contains(_ c: Character) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func contains(_ c: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func firstIndex(of c: Character) -> Index? { nil }
    @available(*, deprecated, message: "TEXT") func lastIndex(of c: Character) -> Index? { nil }
    @available(*, deprecated, message: "TEXT") func split(
        separator: Character, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] { [] }
    @available(*, deprecated, message: "TEXT") func firstRange(of c: String) -> Range<Index>? { nil }
    @available(*, deprecated, message: "TEXT") func replacing(_ c: String, with d: String) -> String { "" }
}
extension Substring {
    @available(*, deprecated, message: "TEXT") func hasPrefix(_ p: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func hasSuffix(_ p: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func contains(_ c: Character) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func contains(_ c: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func firstIndex(of c: Character) -> Index? { nil }
    @available(*, deprecated, message: "TEXT") func lastIndex(of c: Character) -> Index? { nil }
    @available(*, deprecated, message: "TEXT") func split(
        separator: Character, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] { [] }
    @available(*, deprecated, message: "TEXT") func firstRange(of c: String) -> Range<Index>? { nil }
}
extension Sequence where Element == String {
    @available(*, deprecated, message: "TEXT in a list") func contains(_ e: String) -> Bool { false }
}
extension Collection where Element == String {
    @available(*, deprecated, message: "TEXT in a list") func firstIndex(of e: String) -> Index? { nil }
}
extension Set where Element == String {
    @available(*, deprecated, message: "TEXT in a list") func contains(_ e: String) -> Bool { false }
}
