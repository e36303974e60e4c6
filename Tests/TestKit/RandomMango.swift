//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// Random selectors and documents from a seed, with few names and values, so that they often match.
package enum RandomMango {
    package static let names = ["a", "b", "_id", "c.d", "é"]

    package static func selector(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        if depth > 0, generator.chance(1, in: 3) {
            let clauses = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                selector(depth: depth - 1, &generator)
            }
            let name = generator.pick(["$and", "$or", "$nor", "$not"])
            return .object([name: name == "$not" ? selector(depth: depth - 1, &generator) : .array(clauses)])
        }
        var members = JSONObject()
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            members[field(&generator)] = condition(depth: depth, &generator)
        }
        return .object(members)
    }

    package static func field(_ generator: inout SeededGenerator) -> String {
        let names = names.map { $0.replacing(".", with: "\\.") }
        let steps = (0..<Int.random(in: 1...2, using: &generator)).map { _ in generator.pick(names + ["0"]) }
        return steps.joined(separator: ".")
    }

    package static func condition(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        let argument = value(depth: 1, &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return argument
        case 1, 2: return .object([generator.pick(["$eq", "$ne", "$lt", "$lte", "$gt", "$gte"]): argument])
        case 3: return .object([generator.pick(["$in", "$nin", "$all"]): [argument, value(depth: 1, &generator)]])
        case 4: return ["$exists": .bool(generator.chance(1, in: 2))]
        case 5: return ["$type": .string(generator.pick(["null", "number", "string", "array", "object"]))]
        case 6: return ["$mod": [.integer(Int64.random(in: 1...3, using: &generator)), 1]]
        case 7: return .object([generator.pick(["$regex", "$beginsWith"]): "a"])
        case 8: return ["$size": .integer(Int64.random(in: 0...2, using: &generator))]
        case 9 where depth > 0: return ["$not": ["$gt": argument]]
        case 10 where depth > 0:
            let inner = generator.chance(1, in: 2) ? ["$gte": argument] : selector(depth: depth - 1, &generator)
            return .object([generator.pick(["$elemMatch", "$allMatch"]): inner])
        default: return ["$keyMapMatch": ["$lt": "b"]]
        }
    }

    package static func object(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        var members = JSONObject()
        for name in names where generator.chance(2, in: 3) { members[name] = value(depth: depth, &generator) }
        return .object(members)
    }

    package static func value(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
        case 0: return generator.pick([.null, true, false])
        case 1, 2: return .integer(Int64.random(in: -2...3, using: &generator))
        case 3:
            return generator.pick([0.5, 1.0, -2.5, 1e20, .bigInteger("100000000000000000001"), 9_007_199_254_740_993])
        case 4, 5: return .string(generator.pick(["", "a", "A", "b", "a\"b", "é", "e\u{301}", "a\u{0}", "ab\n"]))
        case 6, 7:
            let count = Int.random(in: 0...3, using: &generator)
            return .array((0..<count).map { _ in value(depth: depth - 1, &generator) })
        default: return object(depth: depth - 1, &generator)
        }
    }
}
