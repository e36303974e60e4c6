//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
public import GodwitClient
public import GodwitJSON
package import GodwitSelector
public import GodwitStore

/// Which documents a replication is about; all by default.
///
/// At most one of the choices can be made.
public struct ReplicationSelection: Sendable {
    /// A choice of documents.
    package enum Choice: Sendable {
        case everything
        case ids([String])
        case selector(Selector)
        /// A function of a design document at the source, with its parameters.
        case function(name: String, parameters: [String: String])
        /// A function of this program, under a name that stands for what it does.
        case closure(name: String, @Sendable (Document) -> Bool)
    }

    package let choice: Choice

    /// Whether losing leaves stay at home: only the winner of each document is replicated.
    public var winnersOnly = false

    /// Where to begin when the two sides never agreed on a place; the source's beginning by default.
    public var since: String?

    package init(_ choice: Choice) { self.choice = choice }

    /// All documents.
    public init() { choice = .everything }

    /// Some documents.
    public static func documents(_ ids: [String]) -> ReplicationSelection {
        ReplicationSelection(
            .ids(Set(ids.map(ExactText.init)).map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }))
    }

    /// Documents that meet a Mango selector, as they are at the source. Evaluated there.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidSelection`` and what is wrong with it.
    public static func matching(_ selector: JSONValue) throws(ReplicationError) -> ReplicationSelection {
        do {
            return ReplicationSelection(.selector(try Selector(parsing: selector)))
        } catch {
            throw ReplicationError(.invalidSelection, "the selector of the replication: \(error.reason)")
        }
    }

    /// Documents that a filter function of a design document at the source lets pass.
    ///
    /// - Parameters:
    ///   - name: The design document and the function, `design/function`.
    ///   - parameters: What the function reads of the request's query.
    public static func filter(_ name: String, parameters: [String: String] = [:]) -> ReplicationSelection {
        ReplicationSelection(.function(name: name, parameters: parameters))
    }

    /// Documents that a function lets pass. Only where the source is a datastore of this program.
    ///
    /// - Parameters:
    ///   - name: Stands for what the function does: the replication begins anew when it changes.
    ///   - isIncluded: Told the winner of each changed document, deleted or not.
    public static func filter(
        named name: String, _ isIncluded: @escaping @Sendable (Document) -> Bool
    ) -> ReplicationSelection {
        ReplicationSelection(.closure(name: name, isIncluded))
    }

    /// Whether all documents are meant, with all their leaves.
    var isEverything: Bool {
        if case .everything = choice { return !winnersOnly }
        return false
    }

    /// The function of a design document that chooses; `nil` when none does, and for a name of another form.
    var function: ChangeFunction? {
        guard case .function(let name, let parameters) = choice else { return nil }
        // The filter `_view` names its view as a parameter.
        if name == "_view" { return ChangeFunction(parameters["view"] ?? "", .view) }
        let query = JSONObject(parameters.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        let request: JSONValue = ["method": "GET", "query": .object(query), "headers": [:], "body": "undefined"]
        return ChangeFunction(name, .filter(request: request.jsonBytes()))
    }

    /// A text that changes with the set of documents; empty for everything. The text of a function is no part of it.
    package var identity: String {
        let text =
            switch choice {
            case .everything: ""
            case .ids(let ids): JSONValue.array(ids.map { .string($0) }).jsonText()
            case .selector(let selector): "selector \(selector.normalized.jsonText())"
            case .function(let name, let parameters):
                "filter \(JSONValue.array([.string(name)] + parameters.sorted { $0.key < $1.key }.flatMap { [.string($0.key), .string($0.value)] }).jsonText())"
            case .closure(let name, _): "closure \(name)"
            }
        return (winnersOnly ? "winners " : "") + text
    }
}
