//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector

// Most index functions in practice are simple: they index the member `geometry` if it exists, and some of them only in
// documents of one type. Such a function is parsed here and becomes a rule. The rule is applied in the transaction of
// the write, without JavaScript. All other functions run in the JavaScript engine.

extension GeoRule {
    /// Recognizes a function such as `function(doc) { if (doc.geometry && doc.geometry.coordinates) {
    /// st_index(doc.geometry); } }`.
    ///
    /// - Returns: `nil` if the function does more than index one member. The function may have conditions, which
    ///   require that certain members are truthy or equal to a string.
    package init?(function text: String) {
        guard let tokens = FunctionToken.tokens(of: text) else { return nil }
        var reader = GeoFunctionReader(tokens: tokens[...])
        guard let rule = reader.function(), reader.tokens.isEmpty else { return nil }
        self = rule
    }
}

/// A token of a function's text.
private enum FunctionToken: Equatable {
    case word(String)
    case text(String)
    case mark(String)

    /// The common whitespace characters of JavaScript.
    private static let spaces: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r"]
    /// The characters that end a comment after two slashes.
    private static let lineEnds: Set<Unicode.Scalar> = ["\n", "\r", "\u{2028}", "\u{2029}"]

    /// Splits JavaScript text into tokens; `nil` when it contains an unsupported token.
    static func tokens(of text: String) -> [FunctionToken]? {
        var remaining = Substring(text)
        var tokens: [FunctionToken] = []
        while let first = remaining.unicodeScalars.first {
            if Self.spaces.contains(first) {
                remaining.unicodeScalars.removeFirst()
            } else if remaining.begins(with: "//") {
                let line = remaining.unicodeScalars.prefix { !Self.lineEnds.contains($0) }
                remaining = remaining[line.endIndex...]
            } else if remaining.begins(with: "/*") {
                guard let end = Substring(remaining.utf8.dropFirst(2)).firstBytes("*/") else { return nil }
                remaining = remaining[end.upperBound...]
            } else {
                guard let token = token(&remaining) else { return nil }
                tokens.append(token)
            }
        }
        return tokens
    }

    private static func token(_ remaining: inout Substring) -> FunctionToken? {
        guard let first = remaining.unicodeScalars.first else { return nil }
        if first == "\"" || first == "'" {
            let content = remaining.unicodeScalars.dropFirst().prefix {
                $0 != first && $0 != "\\" && !Character($0).isNewline
            }
            remaining = remaining[content.endIndex...]
            guard remaining.unicodeScalars.first == first else { return nil }
            remaining.unicodeScalars.removeFirst()
            return .text(String(content))
        }
        let word = remaining.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }
        if !word.isEmpty {
            remaining = remaining[word.endIndex...]
            return word.first?.isNumber == true ? nil : .word(String(word))
        }
        let marks = ["===", "==", "&&", "(", ")", "{", "}", "[", "]", ".", ";"]
        guard let mark = marks.first(where: { remaining.begins(with: $0) }) else { return nil }
        remaining.unicodeScalars.removeFirst(mark.count)
        return .mark(mark)
    }
}

/// Parses the tokens of a function.
private struct GeoFunctionReader {
    var tokens: ArraySlice<FunctionToken>
    /// The name of the function's parameter for the document.
    private var document = ""
    private var conditions: [GeoRule.Condition] = []

    init(tokens: ArraySlice<FunctionToken>) { self.tokens = tokens }

    mutating func function() -> GeoRule? {
        guard header(), skipIfNext("{"), let path = statement(), skipIfNext("}") else { return nil }
        _ = skipIfNext(";")
        return GeoRule(path: path, conditions: conditions, acceptsArrays: false)
    }

    /// Parses `function (doc)` or `function name(doc)`.
    private mutating func header() -> Bool {
        guard word() == "function" else { return false }
        if tokens.first != .mark("(") { guard let name = word(), Self.isAllowedName(name) else { return false } }
        guard skipIfNext("("), let name = word(), Self.isAllowedName(name), skipIfNext(")") else { return false }
        document = name
        return true
    }

    /// Whether a name is neither a reserved word of JavaScript nor the function that is called.
    // Exact: reserved words are ASCII.
    private static func isAllowedName(_ name: String) -> Bool { !reserved.contains(name) && name != "st_index" }

    private static let reserved = Set(
        """
        arguments await break case catch class const continue debugger default delete do else enum eval export extends \
        false finally for function if implements import in instanceof interface let new null package private protected \
        public return static super switch this throw true try typeof var void while with yield
        """.pieces(at: " ").map(String.init))

    /// Parses a call of `st_index`, optionally after conditions and in braces.
    private mutating func statement() -> FieldPath? {
        if skipIfNext("{") {
            guard let path = statement(), skipIfNext("}") else { return nil }
            return path
        }
        switch word() {
        case "if":
            guard skipIfNext("("), condition(), skipIfNext(")") else { return nil }
            return statement()
        case "st_index":
            guard skipIfNext("("), let path = path(), skipIfNext(")") else { return nil }
            _ = skipIfNext(";")
            return path
        default: return nil
        }
    }

    private mutating func condition() -> Bool {
        repeat {
            if skipIfNext("(") {
                guard condition(), skipIfNext(")") else { return false }
            } else {
                guard let path = path(), comparison(of: path) else { return false }
            }
        } while skipIfNext("&&")
        return true
    }

    private mutating func comparison(of path: FieldPath) -> Bool {
        let isLooseEquality = skipIfNext("==")
        guard isLooseEquality || skipIfNext("===") else {
            conditions.append(.init(path: path, text: nil, isLooseEquality: false))
            return true
        }
        guard case .text(let text)? = tokens.popFirst(), !isLooseEquality || Self.isPlain(text) else { return false }
        conditions.append(.init(path: path, text: text, isLooseEquality: isLooseEquality))
        return true
    }

    /// In JavaScript, `==` converts values before it compares them. Whether only two kinds of values are equal to the
    /// string by `==`: the string itself, and a list (possibly nested) whose only element is the string.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter, !text.includes(",") else { return false }
        return !["Infinity", "null", "true", "false"].contains(text)
    }

    private mutating func path() -> FieldPath? {
        guard word()?.isIdenticalText(to: document) == true else { return nil }
        var path: String?
        while true {
            var name: String?
            if skipIfNext(".") {
                name = word()
            } else if skipIfNext("[") {
                guard case .text(let text)? = tokens.popFirst(), skipIfNext("]") else { return nil }
                name = text
            } else {
                return path.map { FieldPath($0) }
            }
            guard let name, Self.isMember(name) else { return nil }
            path = path.map { "\($0).\(name)" } ?? name
        }
    }

    /// Whether a name can refer only to a member of the document. This is the case if it consists of word characters,
    /// and if no JavaScript value inherits a member with this name.
    private static func isMember(_ name: String) -> Bool {
        !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            // Exact: the inherited names are ASCII.
            && Int(name) == nil && !name.begins(with: "_") && !inherited.contains(name)
    }

    private static let inherited = Set(
        """
        constructor toString toLocaleString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable length at concat \
        copyWithin fill find findIndex findLast findLastIndex lastIndexOf pop push reverse shift unshift slice sort splice \
        includes indexOf join keys entries values forEach filter flat flatMap map every some reduce reduceRight toReversed \
        toSorted toSpliced with anchor big blink bold charAt charCodeAt codePointAt endsWith fontcolor fontsize fixed \
        italics link localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll search small split \
        strike sub substr substring startsWith sup toLocaleLowerCase toLocaleUpperCase toLowerCase toUpperCase trim \
        trimEnd trimLeft trimRight trimStart isWellFormed toWellFormed toExponential toFixed toPrecision
        """.pieces(at: " ").map(String.init))

    // MARK: Tokens

    /// If the next token is the given punctuation mark, skips it and returns `true`. Otherwise, returns `false`.
    private mutating func skipIfNext(_ mark: String) -> Bool {
        guard tokens.first == .mark(mark) else { return false }
        tokens.removeFirst()
        return true
    }

    private mutating func word() -> String? {
        guard case .word(let word)? = tokens.first else { return nil }
        tokens.removeFirst()
        return word
    }
}
