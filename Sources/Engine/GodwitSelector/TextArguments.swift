//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The strings among many arguments of `$in`, for a search that does not compare a value with each of them.
struct TextArguments: Sendable {
    /// With fewer arguments, comparing each of them is as fast.
    private static let countMin = 16

    private let texts: Set<[UInt8]>
    /// The collation keys of the strings. Different strings may have the same key.
    private let keys: Set<[UInt8]>

    /// Creates the set of an argument; `nil` if the argument has few elements.
    init?(of argument: JSONValue) {
        let arguments = argument.elements
        guard arguments.count >= TextArguments.countMin else { return nil }
        let strings = arguments.compactMap(\.stringValue)
        texts = Set(strings.map { Array($0.utf8) })
        keys = Set(strings.map(TextArguments.key))
    }

    /// Whether a string equals one of the arguments.
    ///
    /// - Parameter text: The UTF-8 of the string.
    func contains(_ text: UnsafeRawBufferPointer, by rules: JSONComparisonRules) -> Bool {
        if texts.contains(Array(text)) { return true }
        return rules == .collation && keys.contains(TextArguments.key(of: String(decoding: text, as: UTF8.self)))
    }

    private static func key(of text: String) -> [UInt8] {
        var key: [UInt8] = []
        CollationKey.append(.string(text), to: &key)
        return key
    }
}
