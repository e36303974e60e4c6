//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension MangoClause {
    /// Returns the clause as a selector.
    ///
    /// - Throws: ``QueryPredicateError`` with code ``QueryPredicateError/Code/tooLarge`` when the selector exceeds a
    ///   limit, ``QueryPredicateError/Code/invalidValue`` when it contains a regular expression that does not compile.
    func selector() throws(QueryPredicateError) -> JSONObject {
        let selector = json
        do throws(SelectorError) {
            _ = try Selector(parsing: .object(selector))
        } catch {
            let code: QueryPredicateError.Code = error.error == "bad_arg" ? .invalidValue : .tooLarge
            throw QueryPredicateError(code, "the selector is not valid: \(error.reason)")
        }
        return selector
    }

    /// The clause in Mango's notation.
    var json: JSONObject {
        switch node {
        case .always: return [:]
        // An empty `$in` is always false.
        case .never: return ["_id": ["$in": []]]
        case .field(let steps, let condition):
            return steps.isEmpty ? condition : [steps.joined(separator: "."): .object(condition)]
        case .elements(let quantifier, let arrayPositions, let inner):
            return Self.combined("$or", arrayPositions.map { Self.json(quantifier, $0, inner) })
        case .all(let clauses): return Self.combined("$and", clauses.map(\.json))
        case .any(let clauses): return Self.combined("$or", clauses.map(\.json))
        case .text(let query): return ["$text": .string(query)]
        }
    }

    private static func combined(_ name: String, _ clauses: [JSONObject]) -> JSONObject {
        clauses.count == 1 ? clauses[0] : [name: .array(clauses.map(JSONValue.object))]
    }

    private static func json(_ quantifier: Quantifier, _ position: ArrayPosition, _ inner: MangoClause) -> JSONObject {
        let inner = JSONValue.object(inner.prefixed(by: position.rest).elementJSON)
        func field(_ condition: JSONObject) -> JSONObject { MangoClause.field(position.array, condition).json }
        return switch quantifier {
        case .any: field(["$elemMatch": inner])
        case .none:
            combined("$and", [field(["$type": "array"]), field(["$not": ["$elemMatch": inner]])])
        // For an empty array, `$allMatch` is false, but the condition must be true.
        case .all: combined("$or", [field(["$allMatch": inner]), field(["$size": 0])])
        }
    }

    /// The clause in Mango's notation as the argument of `$elemMatch` or `$allMatch`. As their argument, `{}` does not
    /// match every element, but only an element that is an empty object.
    private var elementJSON: JSONObject {
        switch node {
        case .always: ["$exists": true]
        case .never: ["$exists": false]
        default: json
        }
    }
}
