//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A text with variables, in the syntax of Mustache. In HTML, the value of `{{link}}` is escaped, and the value of
/// `{{{link}}}` is inserted unchanged. Values that users choose are escaped in both cases, and are written without
/// links.
///
/// Sections and partials are not supported. A library that supports them would load Foundation, which no other part of
/// the server needs.
struct MailTemplate: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case text(Substring)
        case variable(String, isEscaped: Bool)
    }

    private let pieces: [Piece]

    /// Parses a template.
    ///
    /// - Parameter names: The names of the variables.
    /// - Returns: `nil` when braces are not closed, or a variable's name is not in `names`.
    init?(_ text: String, names: Set<String>) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let start = rest.firstBytes("{{") {
            pieces.append(.text(rest[..<start.lowerBound]))
            rest = rest[start.upperBound...]
            let isEscaped = rest.first != "{"
            guard let end = rest.firstBytes(isEscaped ? "}}" : "}}}") else { return nil }
            let name = String(rest[..<end.lowerBound].drop { $0 == "{" }.filter { $0 != " " })
            // Exact: the names of variables are ASCII.
            guard names.contains(name) else { return nil }
            pieces.append(.variable(name, isEscaped: isEscaped))
            rest = rest[end.upperBound...]
        }
        pieces.append(.text(rest))
        self.pieces = pieces
    }

    /// Returns the text with the values of its variables.
    ///
    /// - Parameters:
    ///   - values: The values, by the names of the variables.
    ///   - chosen: The names of the variables with values that users choose.
    ///   - isHTML: Whether the text is HTML.
    func render(_ values: [String: String], chosenByUsers chosen: Set<String>, isHTML: Bool) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): return String(text)
            case .variable(let name, let isEscaped):
                // Exact: the names of variables are ASCII.
                let isChosen = chosen.contains(name)
                let value = isChosen ? (values[name] ?? "").withoutLinks : values[name] ?? ""
                return isHTML && (isEscaped || isChosen) ? value.markupEscaped : value
            }
        }.joined()
    }
}
