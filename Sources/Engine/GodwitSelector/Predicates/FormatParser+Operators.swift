//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension FormatParser {
    private static let signs: [String: Comparison] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual, "=<": .lessOrEqual,
        ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
    ]

    private static let words: [String: FormatOperation.Kind] = [
        "BETWEEN": .between, "IN": .in, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "CONTAINS": .contains,
        "LIKE": .like, "MATCHES": .matches,
    ]

    /// Parses an operator with its options.
    mutating func operation() throws(QueryPredicateError) -> FormatOperation {
        let offset = token.offset
        let kind: FormatOperation.Kind
        if case .sign(let sign) = token.kind, let comparison = Self.signs[sign] {
            kind = .comparison(comparison)
        } else if let word = token.keyword.flatMap({ Self.words[$0] }) {
            kind = word
        } else {
            throw expected("an operator")
        }
        try advance()
        guard case .options(let options) = token.kind else {
            return FormatOperation(kind: kind, ignoresCase: false, offset: offset)
        }
        guard kind != .between, options.lowercased() == "c" else { throw refusal(of: options) }
        try advance()
        return FormatOperation(kind: kind, ignoresCase: true, offset: offset)
    }

    private func refusal(of options: String) -> QueryPredicateError {
        let isKnown = !options.isEmpty && options.lowercased().utf8.allSatisfy("cdnl".utf8.contains)
        return isKnown
            ? QueryPredicateError(.unsupported, "Mango supports only [c], and not for BETWEEN", at: token.offset)
            : expected("[c]")
    }
}
