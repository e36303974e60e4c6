//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Scripts/outside.py checks modules together with this file. Its members have the names and types of those of the
// standard library, and hide them. Therefore each use is deprecated, and the compiler names it.

extension String {
    @available(*, deprecated, message: "TEXT") static func == (l: String, r: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") static func != (l: String, r: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") static func ~= (l: String, r: String) -> Bool { false }
}
extension Optional where Wrapped == String {
    @available(*, deprecated, message: "TEXT") static func == (l: String?, r: String?) -> Bool { false }
    @available(*, deprecated, message: "TEXT") static func != (l: String?, r: String?) -> Bool { false }
}
extension Substring {
    @available(*, deprecated, message: "TEXT") static func == (l: Substring, r: Substring) -> Bool { false }
    @available(*, deprecated, message: "TEXT") static func != (l: Substring, r: Substring) -> Bool { false }
    @available(*, deprecated, message: "TEXT") static func ~= (l: Substring, r: Substring) -> Bool { false }
}
extension Optional where Wrapped == Substring {
    @available(*, deprecated, message: "TEXT") static func == (l: Substring?, r: Substring?) -> Bool { false }
    @available(*, deprecated, message: "TEXT") static func != (l: Substring?, r: Substring?) -> Bool { false }
}
extension Character {
    @available(*, deprecated, message: "TEXT by characters") static func == (l: Character, r: Character) -> Bool {
        false
    }
    @available(*, deprecated, message: "TEXT by characters") static func != (l: Character, r: Character) -> Bool {
        false
    }
    @available(*, deprecated, message: "TEXT by characters") static func ~= (l: Character, r: Character) -> Bool {
        false
    }
}
extension Optional where Wrapped == Character {
    @available(*, deprecated, message: "TEXT by characters") static func == (l: Character?, r: Character?) -> Bool {
        false
    }
    @available(*, deprecated, message: "TEXT by characters") static func != (l: Character?, r: Character?) -> Bool {
        false
    }
}
extension StringProtocol {
    @available(*, deprecated, message: "TEXT") static func == (l: Self, r: some StringProtocol) -> Bool { false }
    @available(*, deprecated, message: "TEXT") static func != (l: Self, r: some StringProtocol) -> Bool { false }
}
extension String {
    @available(*, deprecated, message: "TEXT") func split(
        separator: String, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] { [] }
    @available(*, deprecated, message: "TEXT") func ranges(of c: String) -> [Range<Index>] { [] }
    @available(*, deprecated, message: "TEXT") func trimmingPrefix(_ c: String) -> Substring { "" }
    @available(*, deprecated, message: "TEXT") func hasPrefix(_ p: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func hasSuffix(_ p: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT by characters") func contains(_ c: Character) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func contains(_ c: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func starts(with p: some Sequence<Character>) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func elementsEqual(_ p: some Sequence<Character>) -> Bool { false }
    @available(*, deprecated, message: "TEXT by characters") func firstIndex(of c: Character) -> Index? { nil }
    @available(*, deprecated, message: "TEXT by characters") func lastIndex(of c: Character) -> Index? { nil }
    @available(*, deprecated, message: "TEXT by characters") func split(
        separator: Character, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] { [] }
    @available(*, deprecated, message: "TEXT") func firstRange(of c: String) -> Range<Index>? { nil }
    @available(*, deprecated, message: "TEXT") func replacing(_ c: String, with d: String) -> String { "" }
}
extension Substring {
    @available(*, deprecated, message: "TEXT") func split(
        separator: String, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] { [] }
    @available(*, deprecated, message: "TEXT") func ranges(of c: String) -> [Range<Index>] { [] }
    @available(*, deprecated, message: "TEXT") func trimmingPrefix(_ c: String) -> Substring { "" }
    @available(*, deprecated, message: "TEXT") func hasPrefix(_ p: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func hasSuffix(_ p: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT by characters") func contains(_ c: Character) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func contains(_ c: String) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func starts(with p: some Sequence<Character>) -> Bool { false }
    @available(*, deprecated, message: "TEXT") func elementsEqual(_ p: some Sequence<Character>) -> Bool { false }
    @available(*, deprecated, message: "TEXT by characters") func firstIndex(of c: Character) -> Index? { nil }
    @available(*, deprecated, message: "TEXT by characters") func lastIndex(of c: Character) -> Index? { nil }
    @available(*, deprecated, message: "TEXT by characters") func split(
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
extension Sequence where Element == Substring {
    @available(*, deprecated, message: "TEXT in a list") func contains(_ e: Substring) -> Bool { false }
}
extension Array where Element == String {
    @available(*, deprecated, message: "TEXT") static func == (l: [String], r: [String]) -> Bool { false }
    @available(*, deprecated, message: "TEXT") static func != (l: [String], r: [String]) -> Bool { false }
}
extension Set where Element == String {
    @available(*, deprecated, message: "TEXT") static func == (l: Set<String>, r: Set<String>) -> Bool { false }
    @available(*, deprecated, message: "TEXT") static func != (l: Set<String>, r: Set<String>) -> Bool { false }
}
