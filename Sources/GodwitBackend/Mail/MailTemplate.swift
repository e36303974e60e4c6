//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A text with variables, in the syntax of Mustache. In HTML, the value of `{{name}}` is escaped. The value of
/// `{{{name}}}` is inserted unchanged.
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
        while let start = rest.firstRange(of: "{{") {
            pieces.append(.text(rest[..<start.lowerBound]))
            rest = rest[start.upperBound...]
            let isEscaped = rest.first != "{"
            guard let end = rest.firstRange(of: isEscaped ? "}}" : "}}}") else { return nil }
            let name = String(rest[..<end.lowerBound].drop { $0 == "{" }.filter { $0 != " " })
            guard names.contains(name) else { return nil }
            pieces.append(.variable(name, isEscaped: isEscaped))
            rest = rest[end.upperBound...]
        }
        pieces.append(.text(rest))
        self.pieces = pieces
    }

    /// Returns the text with the values of its variables.
    ///
    /// - Parameter isHTML: Whether the text is HTML. In HTML, the values of variables in two braces are escaped.
    func render(_ values: [String: String], isHTML: Bool) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): return String(text)
            case .variable(let name, let isEscaped):
                let value = values[name] ?? ""
                return isHTML && isEscaped ? MailTemplate.escaped(value) : value
            }
        }.joined()
    }

    private static func escaped(_ text: String) -> String {
        let escapes: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
        return text.map { escapes[$0] ?? String($0) }.joined()
    }
}
