//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitJSON
package import GodwitSelector
public import GodwitStore
public import GodwitTransport

/// The documents of a replication. By default, all documents are replicated.
///
/// The documents can be selected by ids, by a selector, or by a function.
public struct ReplicationSelection: Sendable {
    /// The method of selection.
    package enum Choice: Sendable {
        case everything
        case ids([String])
        case selector(Selector)
        /// A function of a design document at the source, with its parameters.
        case function(name: String, parameters: [String: String])
        /// A function of this program, with a name that identifies it.
        case closure(name: String, @Sendable (Document) -> Bool)
    }

    /// The method of selection, with its parameters.
    package let choice: Choice

    /// Whether only the winner of each document is replicated, without the other leaves.
    public var winnersOnly = false

    /// The source's sequence from which the replication starts if the two databases have no common checkpoint. By
    /// default, the replication starts from the beginning.
    public var since: String?

    /// Creates a selection by a method.
    package init(_ choice: Choice) { self.choice = choice }

    /// All documents.
    public init() { choice = .everything }

    /// Some documents.
    public static func documents(_ ids: [String]) -> ReplicationSelection {
        ReplicationSelection(
            .ids(Set(ids.map(ExactText.init)).map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }))
    }

    /// Documents that match a Mango selector. The selector is evaluated at the source, for the source's documents.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidSelection`` and the reason.
    public static func matching(_ selector: JSONValue) throws(ReplicationError) -> ReplicationSelection {
        do {
            return ReplicationSelection(.selector(try Selector(parsing: selector)))
        } catch {
            throw ReplicationError(.invalidSelection, "the selector of the replication: \(error.reason)")
        }
    }

    /// Documents that a filter function of a design document at the source selects.
    ///
    /// - Parameters:
    ///   - name: The design document and the function, `design/function`.
    ///   - parameters: The query parameters of the function's request.
    public static func filter(_ name: String, parameters: [String: String] = [:]) -> ReplicationSelection {
        ReplicationSelection(.function(name: name, parameters: parameters))
    }

    /// Documents that a function selects. The source must be a datastore of this program.
    ///
    /// - Parameters:
    ///   - name: Identifies the function: if the name changes, the replication starts from the beginning.
    ///   - isIncluded: Called with the winner of each changed document, deleted or not.
    public static func filter(
        named name: String, _ isIncluded: @escaping @Sendable (Document) -> Bool
    ) -> ReplicationSelection {
        ReplicationSelection(.closure(name: name, isIncluded))
    }

    /// Whether all documents are selected, with all their leaves.
    var isEverything: Bool {
        if case .everything = choice { return !winnersOnly }
        return false
    }

    /// The function of a design document that selects the documents. The value is `nil` if the documents are selected
    /// in another way, or if the name does not have the form `design/function`.
    var function: ChangeFunction? {
        guard case .function(let name, let parameters) = choice else { return nil }
        // For the filter `_view`, a parameter contains the name of the view.
        if name == "_view" { return ChangeFunction(parameters["view"] ?? "", .view) }
        let query = JSONObject(parameters.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        let request: JSONValue = ["method": "GET", "query": .object(query), "headers": [:], "body": "undefined"]
        return ChangeFunction(name, .filter(request: request.jsonBytes()))
    }

    /// A text that identifies the selection; empty if all documents are selected. Different selections have different
    /// texts. For a function, the text contains only its name and parameters, not its code.
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
