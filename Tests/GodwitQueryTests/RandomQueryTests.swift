import EngineTesting
import GodwitJSON
import GodwitQuery
import GodwitSelector
import GodwitStore
import TestKit
//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import Testing

@Suite("Random queries")
struct RandomQueryTests {
    private static let indexes: [(name: String, fields: [QueryField])] = [
        ("a", ["a"]), ("ba", ["b", .descending("a")]), ("cd", [.descending("c\\.d"), "_id"]), ("e", ["é", "b", "a"]),
    ]

    @Test(
        "Every plan finds the results of a simple matcher: by scan, with indexes created before and after",
        arguments: TestScale.seeds(2, of: 8))
    func agreement(seed: UInt64) async throws {
        try await withDatastore { store in
            var generator = SeededGenerator(seed: seed)
            var world: [String: JSONObject] = [:]
            for number in 0..<60 {
                try await change("\(generator.pick(["a", "B", "é"]))\(number)", &world, store, &generator)
            }
            let selectors = selectors(&generator)
            var found = try await compare(selectors, world, store, indexes: [], &generator)
            for (name, fields) in Self.indexes { try await store.defineIndex(name, fields: fields) }
            try await store.ensureTextIndex(named: "text")
            let indexes = Self.indexes.map(\.name) + ["text"]
            found += try await compare(selectors, world, store, indexes: indexes, &generator)
            for _ in 0..<60 { try await change(generator.pick(Array(world.keys.sorted())), &world, store, &generator) }
            found += try await compare(selectors, world, store, indexes: indexes, &generator)
            #expect(found > 1_000, "the selectors are too rarely true to test anything: \(found)")
        }
    }

    /// Returns valid selectors, some of which are narrow enough for an index.
    private func selectors(_ generator: inout SeededGenerator) -> [JSONObject] {
        var selectors: [JSONObject] = [[:]]
        while selectors.count < 60 {
            let value = RandomMango.selector(depth: 2, &generator)
            if let members = value.objectValue, (try? Selector(parsing: value)) != nil { selectors.append(members) }
        }
        return selectors + (0..<40).map { _ in union(&generator) }
    }

    /// Returns an `$or` each of whose branches an index can find, with further conditions that it cannot decide.
    private func union(_ generator: inout SeededGenerator) -> JSONObject {
        let branches = (0..<Int.random(in: 2...4, using: &generator)).map { _ -> JSONValue in
            var branch: JSONObject = [:]
            for _ in 0..<2 {
                let field = generator.pick(["a", "b", "c\\.d", "é"])
                branch[field] = RandomMango.condition(depth: 0, &generator)
            }
            return .object(branch)
        }
        let union: JSONObject = ["$or": .array(branches)]
        return (try? Selector(parsing: .object(union))) == nil ? [:] : union
    }

    /// Creates, changes or deletes a document.
    private func change(
        _ id: String, _ world: inout [String: JSONObject], _ store: Datastore, _ generator: inout SeededGenerator
    ) async throws {
        var body = RandomMango.object(depth: 2, &generator).objectValue ?? [:]
        body["_id"] = nil
        if world[id] == nil {
            _ = try await store.create(Document(id: id, body: body))
        } else if generator.chance(1, in: 4) {
            try await store.delete(id)
            world[id] = nil
            return
        } else {
            var document = try store.document(id)
            document.body = body
            _ = try await store.update(document)
        }
        body["_id"] = .string(id)
        world[id] = body
    }

    /// Compares query results with the plain matcher.
    ///
    /// - Returns: The number of documents that matched.
    private func compare(
        _ selectors: [JSONObject], _ world: [String: JSONObject], _ store: Datastore, indexes: [String],
        _ generator: inout SeededGenerator
    ) async throws -> Int {
        var count = 0
        var (indexed, covered) = (0, 0)
        for selector in selectors {
            let expected = world.filter { PlainMatcher.meets(selector, .object($0.value)) }.keys.sorted()
            let limit = Int.random(in: 1...9, using: &generator)
            for index in [[]] + indexes.map({ [$0] }) {
                let ids = try await store.ids(selector, index: index, limit: limit)
                #expect(ids.sorted() == expected, "\(JSONValue.object(selector)) by \(index)")
                count += ids.count
            }
            if try await compareParts(selector, Set(expected), world, store, &generator) { covered += 1 }
            let used = try await store.explain(FindQuery(selector: selector)).indexes
            if used.contains(where: { $0.kind == .json }) { indexed += 1 }
            let sort = generator.pick(Self.sorts)
            let sorted = try await store.ids(selector, sort: sort, limit: limit)
            #expect(sorted.sorted() == expected, "\(JSONValue.object(selector)) by \(sort.map(\.name))")
            expectOrder(sorted, sort, world)
            #expect(try await store.count(selector) == expected.count, "\(JSONValue.object(selector))")
        }
        #expect(indexes.isEmpty || indexed > 5 && covered > 0, "indexes are hardly used: \(indexed), \(covered)")
        return count
    }

    /// Compares documents with chosen members, all of which an index may contain.
    ///
    /// - Returns: Whether an index contained them.
    private func compareParts(
        _ selector: JSONObject, _ expected: Set<String>, _ world: [String: JSONObject], _ store: Datastore,
        _ generator: inout SeededGenerator
    ) async throws -> Bool {
        let names = generator.pick([["a"], ["b", "a"], ["c.d"], ["é", "b", "a"]])
        let fields = ["_id"] + names.map { $0.replacing(".", with: "\\.") }
        let query = FindQuery(selector: selector, fields: fields, limit: 1_000)
        let parts = try await store.find(query).documents
        #expect(Set(parts.compactMap(\.id)) == expected && parts.count == expected.count)
        for part in parts {
            let whole = try #require(part.id.flatMap { world[$0] })
            for name in names { #expect(part.body[name] == whole[name]) }
            #expect(part.body.keys.allSatisfy(names.contains))
        }
        return try await store.explain(query).isCovered
    }

    private static let sorts: [[QueryField]] = [
        ["a"], [.descending("a")], ["b", .descending("a")], [.descending("b"), "a"], ["_id"], [.descending("_id")],
        ["c\\.d", .descending("_id")], ["a", "b"],
    ]

    private func expectOrder(_ ids: [String], _ sort: [QueryField], _ world: [String: JSONObject]) {
        for (id, next) in zip(ids, ids.dropFirst()) {
            for field in sort {
                let order = order(world[id], world[next], field.name)
                #expect(order != (field.isDescending ? .before : .after), "\(id), \(next) by \(sort)")
                if order != .same { break }
            }
        }
    }

    private func order(_ left: JSONObject?, _ right: JSONObject?, _ field: String) -> JSONOrder {
        let name = field.replacing("\\", with: "")
        guard let left = left?[name], let right = right?[name] else {
            let (isThere, follows) = (left?[name] != nil, right?[name] != nil)
            return isThere == follows ? .same : follows ? .before : .after
        }
        if name == "_id", let left = left.stringValue, let right = right.stringValue {
            return left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
        }
        return JSONCollation.compare(left, right)
    }
}
