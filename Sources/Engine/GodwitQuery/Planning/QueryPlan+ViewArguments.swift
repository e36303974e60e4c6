//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore

extension QueryPlan {
    /// Returns the value of `mrargs` for the plan's first access path: the arguments with which CouchDB would read a
    /// view for the query. `start_key` and `end_key` are the bounds from the comparisons in the outermost `$and`. If a
    /// plan reads several ranges, all of them are between these bounds.
    func viewArguments(of access: AccessPath, options: JSONObject) -> JSONObject {
        var arguments: JSONObject = [
            "include_docs": .bool(!isCovered), "view_type": "map", "reduce": false,
            "partition": prepared.query.partition.map { .string($0) } ?? .null,
            "direction": .string(access.isBackward ? "rev" : "fwd"), "stable": options["stable"] ?? false,
            "update": options["update"] ?? true, "conflicts": prepared.query.showsConflicts ? true : "undefined",
        ]
        guard let (lower, upper) = bounds(of: access) else { return arguments }
        (arguments["start_key"], arguments["end_key"]) = access.isBackward ? (upper, lower) : (lower, upper)
        return arguments
    }

    /// CouchDB's notation for a key that sorts after all other keys.
    private static let maximum: JSONValue = "<MAX>"

    /// Returns the lowest and the highest key; `nil` for an index without keys.
    private func bounds(of access: AccessPath) -> (lower: JSONValue, upper: JSONValue)? {
        switch access {
        case .documents:
            let bounds = FieldBounds(of: "_id", in: prepared.asked.normalized)
            return (bounds.lower ?? .null, bounds.upper ?? Self.maximum)
        case .json(let access):
            var (lower, upper): ([JSONValue], [JSONValue]) = ([], [])
            for field in access.definition.fields {
                let bounds = FieldBounds(of: field.name, in: prepared.asked.normalized)
                if let value = bounds.lower { lower.append(value) }
                if let value = bounds.upper { upper.append(value) }
                guard bounds.isPoint else { break }
            }
            // All entries with the upper prefix sort before this bound, because `<MAX>` sorts after all keys.
            return (.array(lower), .array(upper + [Self.maximum]))
        case .text, .geo: return nil
        }
    }
}

extension AccessPath {
    fileprivate var isBackward: Bool {
        switch self {
        case .documents(let access): access.isBackward
        case .json(let access): access.isBackward
        case .text, .geo: false
        }
    }
}

/// The bounds of one field from the comparisons in the outermost `$and`.
private struct FieldBounds {
    private(set) var lower: JSONValue?
    private(set) var upper: JSONValue?

    /// Whether the bounds permit one value only.
    var isPoint: Bool { lower != nil && lower == upper }

    /// - Parameter selector: The selector in CouchDB's normal form.
    init(of field: String, in selector: JSONValue) {
        for clause in selector.objectValue?["$and"]?.arrayValue ?? [selector] {
            for (comparison, value) in clause.objectValue?[field]?.objectValue ?? [:] {
                switch comparison {
                case "$eq": (lower, upper) = (value, value)
                case "$gt", "$gte": lower = lower ?? value
                case "$lt", "$lte": upper = upper ?? value
                case "$beginsWith":
                    lower = lower ?? value
                    upper = upper ?? value.stringValue.map { .string($0 + "\u{ffff}") }
                default: break
                }
            }
        }
    }
}
