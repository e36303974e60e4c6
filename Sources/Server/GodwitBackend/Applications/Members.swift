//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The members of an object in a declaration. Unknown members are refused.
struct Members {
    let all: JSONObject
    private let name: String

    /// Creates members from an object.
    ///
    /// - Parameter known: The names of the allowed members; `nil` if all names are allowed.
    init(_ value: JSONValue, _ name: String, known: Set<String>?) throws(AccountError) {
        guard let object = value.objectValue else { throw .invalidApplication("\(name) is not an object") }
        // Exact: the known names are ASCII.
        if let known, let other = object.keys.first(where: { !known.contains($0) }) {
            throw .invalidApplication("\(name) has an unknown member \(other)")
        }
        all = object
        self.name = name
    }

    subscript(_ member: String) -> JSONValue? { all[member] }

    /// Returns a string; `nil` when the member is missing.
    func text(_ member: String) throws(AccountError) -> String? {
        guard let value = all[member] else { return nil }
        guard let text = value.stringValue else { throw .invalidApplication("\(name).\(member) is not a string") }
        return text
    }

    /// Returns a boolean; `nil` when the member is missing.
    func flag(_ member: String) throws(AccountError) -> Bool? {
        guard let value = all[member] else { return nil }
        guard let flag = value.boolValue else { throw .invalidApplication("\(name).\(member) must be true or false") }
        return flag
    }

    /// Returns an integer in a range; `nil` when the member is missing.
    func number(_ member: String, in range: ClosedRange<Int>) throws(AccountError) -> Int? {
        guard let value = all[member] else { return nil }
        guard let number = value.intValue, range.contains(number) else {
            throw .invalidApplication(
                "\(name).\(member) is not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns an object's members; `nil` when the member is missing.
    ///
    /// - Parameter known: The names of the allowed members; `nil` if all names are allowed.
    func object(_ member: String, known: Set<String>?) throws(AccountError) -> Members? {
        try all[member].map { value throws(AccountError) in try Members(value, "\(name).\(member)", known: known) }
    }

    /// Returns a list of strings; `nil` when the member is missing.
    func texts(_ member: String) throws(AccountError) -> [String]? {
        guard let value = all[member] else { return nil }
        let texts = value.arrayValue?.compactMap(\.stringValue)
        guard let texts, texts.count == value.arrayValue?.count else {
            throw .invalidApplication("\(name).\(member) is not a list of strings")
        }
        return texts
    }
}
