//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import HTTPTypes

/// The rules of a design document's `rewrites` in CouchDB's format. Each rule maps a method and a path to another path
/// and query. In the path, `:name` matches one segment. At the end of a path, `*` matches all remaining segments.
/// Elsewhere, `*` matches one segment.
struct RewriteRules {
    /// A segment of a path in a rule.
    private enum Piece: Equatable {
        case text(String)
        case variable(String)
        case rest
    }

    private struct Rule {
        let from: [Piece]
        let to: [Piece]
        /// The method; `nil` for every method.
        let method: String?
        let query: JSONObject
        /// The types to which variables are converted: `int` or `bool`.
        let formats: JSONObject
    }

    /// The values of variables and parameters. If several values have the same name, the variable with this name gets
    /// the first of them. The rewritten query contains all values except the values of `*`.
    private typealias Bindings = [(name: String, value: JSONValue)]

    /// The target of a rule.
    struct Destination {
        /// The decoded segments of the path. `..` is one level up.
        let path: [String]
        let query: [(name: String, value: String)]
    }

    /// The query parameters whose values are JSON.
    private static let parametersInJSON: Set<String> = ["key", "startkey", "start_key", "endkey", "end_key", "keys"]
    /// The maximum number of `..` in a rule's path. Two levels lead from the design document to its database.
    private static let levelsMax = 2

    private let rules: [Rule]

    init(_ value: [JSONValue]) throws(HTTPFailure) {
        var rules: [Rule] = []
        for members in value.compactMap(\.objectValue) { rules.append(try RewriteRules.rule(members)) }
        self.rules = rules
    }

    private static func rule(_ members: JSONObject) throws(HTTPFailure) -> Rule {
        guard let target = members["to"]?.stringValue else {
            throw HTTPFailure(.internalServerError, "error", "invalid_rewrite_target")
        }
        let to = pieces(target)
        guard to.count(where: { $0 == .text("..") }) <= levelsMax else { throw .insecureRewrite }
        let method = members["method"]?.stringValue
        return Rule(
            from: members["from"]?.stringValue.map(pieces) ?? [.rest], to: to, method: method == "*" ? nil : method,
            query: members["query"]?.objectValue ?? [:], formats: members["formats"]?.objectValue ?? [:])
    }

    private static func pieces(_ path: String) -> [Piece] {
        path.pieces(at: "/").map { piece in
            if piece == "*" { return .rest }
            return piece.begins(with: ":") ? .variable(String(Substring(piece.utf8.dropFirst()))) : .text(String(piece))
        }
    }

    // MARK: Following

    /// Returns the target of the first rule that matches; `nil` when no rule matches.
    ///
    /// - Parameter path: The segments after `_rewrite`.
    /// - Throws: A JSON error when the value of a parameter must be JSON but is not.
    func destination(
        _ method: String, _ path: [String], _ query: [(name: String, value: String)]
    ) throws -> Destination? {
        let parameters = try query.map { name, text in
            (name: name, value: Self.parametersInJSON.contains(name) ? try JSONValue(parsing: text) : .string(text))
        }
        for rule in rules where rule.method == nil || ExactText.areEqual(rule.method, method) {
            guard let (pathBindings, rest) = Self.bind(rule.from, path) else { continue }
            let bindings = pathBindings + parameters
            let ruleQuery = rule.query.map { (name: $0.0, value: Self.filled($0.1, bindings, rule.formats)) }
            let allBindings =
                bindings.filter { binding in !ruleQuery.contains { $0.name.isIdenticalText(to: binding.name) } }
                + ruleQuery
            return Destination(path: Self.path(rule.to, allBindings, rest), query: Self.query(allBindings))
        }
        return nil
    }

    /// Matches a path with a pattern. Returns the values of the pattern's variables; `nil` when the path does not
    /// match.
    private static func bind(_ pattern: [Piece], _ path: [String]) -> (Bindings, rest: [String])? {
        var (bindings, rest): (Bindings, ArraySlice<String>) = ([], path[...])
        for (index, piece) in pattern.enumerated() {
            if piece == .rest, index == pattern.count - 1 { return (bindings, Array(rest)) }
            guard let segment = rest.popFirst() else { return nil }
            switch piece {
            case .text(let text): guard text.isIdenticalText(to: segment) else { return nil }
            case .variable(let name): bindings.insert((name, .string(segment)), at: 0)
            case .rest: bindings.insert(("*", .string(segment)), at: 0)
            }
        }
        return rest.isEmpty ? (bindings, []) : nil
    }

    /// Returns a value of a rule's query with its variables replaced.
    private static func filled(_ value: JSONValue, _ bindings: Bindings, _ formats: JSONObject) -> JSONValue {
        switch value {
        case .string(let text) where text.begins(with: ":"):
            bound(String(Substring(text.utf8.dropFirst())), bindings, formats) ?? value
        case .string("*"): bound("*", bindings, formats) ?? value
        case .array(let items):
            .array(
                items.map { item in
                    guard let text = item.stringValue, text.begins(with: ":") else { return item }
                    return bound(String(Substring(text.utf8.dropFirst())), bindings, formats) ?? item
                })
        default: value
        }
    }

    private static func bound(_ name: String, _ bindings: Bindings, _ formats: JSONObject) -> JSONValue? {
        guard let value = bindings.first(where: { $0.name.isIdenticalText(to: name) })?.value else { return nil }
        guard let text = value.stringValue else { return value }
        switch formats[name]?.stringValue {
        case "int": return Int64(text).map { .integer($0) } ?? value
        case "bool": return ["true": true, "false": false][text.lowercased()].map { .bool($0) } ?? value
        default: return value
        }
    }

    private static func path(_ pattern: [Piece], _ bindings: Bindings, _ rest: [String]) -> [String] {
        var path: [String] = []
        for piece in pattern {
            switch piece {
            case .text(let text): path.append(text)
            case .variable(let name):
                path.append(bindings.first { $0.name.isIdenticalText(to: name) }?.value.plainText ?? "undefined")
            case .rest: return path + rest
            }
        }
        return path
    }

    private static func query(_ bindings: Bindings) -> [(name: String, value: String)] {
        bindings.filter { $0.name != "*" }.map { name, value in
            (name, Self.parametersInJSON.contains(name) ? value.jsonText() : value.plainText)
        }
    }
}

extension JSONValue {
    /// A string's characters, or any other value as JSON.
    fileprivate var plainText: String { stringValue ?? jsonText() }
}

extension HTTPFailure {
    /// The error of a rewrite that would leave its database (`secure_rewrites`).
    static let insecureRewrite = HTTPFailure(
        .internalServerError, "insecure_rewrite_rule", "too many ../.. segments")
}
