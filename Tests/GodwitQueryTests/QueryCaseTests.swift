//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitQuery
import GodwitStore
import Testing

/// The query cases of the predecessor, with Mango's results where both differ. Each case runs with a scan, with indexes
/// that are created before the documents, and with indexes that are created after them.
@Suite("Query cases")
struct QueryCaseTests {
    enum Way: CaseIterable, Sendable { case scan, before, after }

    struct Case: Sendable {
        let number: Int
        let data: String
        let selector: String
        let found: Set<String>

        init(_ number: Int, _ data: String, _ selector: String, _ found: String) {
            self.number = number
            self.data = data
            self.selector = selector
            self.found = Set(found.split(separator: " ").map(String.init))
        }
    }

    static let people = [
        "mike12": #"{"name":"mike","age":12,"pet":"cat"}"#, "mike34": #"{"name":"mike","age":34,"pet":"dog"}"#,
        "mike72": #"{"name":"mike","age":34,"pet":"cat"}"#, "fred34": #"{"name":"fred","age":34,"pet":"cat"}"#,
        "fred12": #"{"name":"fred","age":12}"#,
    ]

    static let data: [String: [String: String]] = [
        "A": people,
        "town": people.merging(
            [
                "mike72": #"{"name":"mike","age":34,"pet":"cat","town":"bristol"}"#,
                "fred12": #"{"name":"fred","age":12,"town":"bristol"}"#,
            ]
        ) { $1 },
        "B": people.merging(
            ["mike72": #"{"name":"mike","age":67,"pet":"cat"}"#, "fred34": #"{"name":"fred","age":34,"pet":"parrot"}"#]
        ) { $1 },
        "null": people.merging(["none": #"{"name":"n","pet":null}"#, "empty": #"{"name":"e","pet":[]}"#]) { $1 },
        "C": [
            "mike12": #"{"pet":["cat","dog"]}"#, "fred34": #"{"pet":"parrot"}"#,
            "mike34": #"{"pet":["cat","dog","fish"]}"#,
            "fred12": "{}", "john44": #"{"pet":["hamster","snake"]}"#, "john22": #"{"pet":"cat"}"#,
        ],
        "sizes": [
            "two": #"{"pet":["cat","dog"]}"#, "one": #"{"pet":["cat"]}"#, "none": #"{"pet":[]}"#,
            "text": #"{"pet":"cat"}"#,
            "without": "{}",
        ],
        "scores": Dictionary(
            uniqueKeysWithValues: ["31", "11", "15", "-15", "15.2", "15.6", "0", "0.0", "0.6", "-0.6"].map {
                ("s\($0)", "{\"score\":\($0)}")
            }),
        "deep": [
            "a": #"{"x":{"y":{"z":1}},"w":1}"#, "b": #"{"x":{"y":2}}"#, "c": #"{"x":3}"#,
            "d": #"{"odd name:=":"مرحبا","x":{"y":{"z":2}}}"#,
        ],
    ]

    static let cases = [
        Case(1, "A", "{}", "mike12 mike34 mike72 fred34 fred12"),
        Case(2, "A", #"{"name":"mike"}"#, "mike12 mike34 mike72"),
        Case(2, "A", #"{"name":"mike","age":12}"#, "mike12"),
        Case(2, "A", #"{"name":"mike","age":99}"#, ""),
        Case(3, "A", #"{"name":{"$gt":"fred"}}"#, "mike12 mike34 mike72"),
        Case(3, "A", #"{"age":{"$gte":12}}"#, "mike12 mike34 mike72 fred34 fred12"),
        Case(3, "A", #"{"age":{"$gte":12},"name":"mike"}"#, "mike12 mike34 mike72"),
        Case(4, "A", #"{"pet":"cat","age":12}"#, "mike12"),
        Case(5, "town", #"{"$or":[{"pet":"cat"},{"town":"bristol"}]}"#, "mike12 mike72 fred34 fred12"),
        Case(7, "scores", #"{"score":{"$mod":[5,0]}}"#, "s15 s-15 s0"),
        Case(7, "scores", #"{"score":{"$mod":[10,-5]}}"#, "s-15"),
        Case(7, "scores", #"{"score":{"$mod":[-10,-5]}}"#, "s-15"),
        Case(7, "scores", #"{"score":{"$mod":[10,1]}}"#, "s31 s11"),
        Case(8, "B", #"{"pet":{"$not":{"$eq":"cat"}}}"#, "fred34 mike34"),
        Case(9, "B", #"{"$and":[{"pet":{"$ne":"cat"}},{"pet":{"$ne":"dog"}}]}"#, "fred34"),
        Case(9, "B", #"{"$or":[{"pet":{"$ne":"cat"}},{"pet":{"$ne":"dog"}}]}"#, "fred34 mike12 mike34 mike72"),
        Case(9, "B", #"{"$and":[{"pet":{"$ne":"cat"}},{"pet":"cat"}]}"#, ""),
        Case(10, "B", #"{"pet":{"$exists":false}}"#, "fred12"),
        Case(10, "B", #"{"pet":{"$not":{"$exists":false}}}"#, "mike12 mike34 mike72 fred34"),
        Case(10, "null", #"{"pet":{"$exists":true}}"#, "mike12 mike34 mike72 fred34 none empty"),
        Case(11, "C", #"{"pet":"dog"}"#, ""),
        Case(11, "C", #"{"pet":{"$elemMatch":{"$eq":"dog"}}}"#, "mike12 mike34"),
        Case(12, "C", #"{"pet":{"$not":{"$ne":"cat"}}}"#, "john22"),
        Case(13, "C", #"{"pet":{"$gt":"dog"}}"#, "fred34 john44 mike12 mike34"),
        Case(13, "C", #"{"pet":{"$lte":"dog"}}"#, "john22"),
        Case(13, "C", #"{"pet":{"$not":{"$gt":"dog"}}}"#, "john22"),
        Case(14, "C", #"{"pet":{"$in":["fish","hamster"]}}"#, "john44 mike34"),
        Case(14, "C", #"{"pet":{"$in":["fish","cat","parrot"]}}"#, "mike12 mike34 fred34 john22"),
        Case(14, "C", #"{"pet":{"$nin":["cat","dog"]}}"#, "fred34 john44"),
        Case(14, "C", #"{"pet":{"$in":[]}}"#, ""),
        Case(14, "C", #"{"pet":{"$all":["cat","fish"]}}"#, "mike34"),
        Case(15, "sizes", #"{"pet":{"$size":2}}"#, "two"),
        Case(15, "sizes", #"{"pet":{"$size":0}}"#, "none"),
        Case(15, "C", #"{"pet":{"$not":{"$size":2}}}"#, "fred34 john22 mike34"),
        Case(16, "C", #"{"$and":[{"pet":{"$size":2}},{"pet":"dog"}]}"#, ""),
        Case(16, "C", #"{"$and":[{"pet":{"$size":2}},{"pet":{"$elemMatch":{"$eq":"dog"}}}]}"#, "mike12"),
        Case(16, "C", #"{"$or":[{"pet":{"$size":1}},{"pet":{"$size":2}}]}"#, "john44 mike12"),
        Case(17, "A", #"{"$or":[{}]}"#, ""),
        Case(17, "A", #"{"pet":{}}"#, ""),
        Case(18, "deep", #"{"x.y.z":1}"#, "a"),
        Case(18, "deep", #"{"x":{"y":2}}"#, "b"),
        Case(18, "deep", #"{"x.y.z":{"$gt":null}}"#, "a d"),
        Case(18, "deep", #"{"odd name:=":"مرحبا"}"#, "d"),
        Case(18, "A", #"{"name":{"$type":"foo"}}"#, ""),
        Case(19, "A", #"{"_id":"mike12"}"#, "mike12"),
        Case(19, "A", #"{"_id":{"$gt":"fred34"},"age":34}"#, "mike34 mike72"),
        Case(19, "A", #"{"_rev":{"$beginsWith":"1-"}}"#, "mike12 mike34 mike72 fred34 fred12"),
    ]

    static let indexes: [(String, [QueryField])] = [
        ("name-age", ["name", "age"]), ("pet", ["pet"]), ("pet-age", [.descending("pet"), "age"]), ("town", ["town"]),
        ("score", ["score"]), ("deep", ["x.y.z"]), ("y", ["x.y"]), ("odd", ["odd name:="]), ("rev", ["_rev"]),
    ]

    @Test("A case has the same results with every plan", arguments: Way.allCases)
    func answers(way: Way) async throws {
        for (data, documents) in Self.data.sorted(by: { $0.key < $1.key }) {
            try await withDatastore { store in
                if way == .before { try await define(in: store) }
                for (id, body) in documents { _ = try await store.create(Document(id: id, body: try object(body))) }
                if way == .after { try await define(in: store) }
                for known in Self.cases where known.data == data {
                    let selector = try object(known.selector)
                    let comment: Comment = "case \(known.number): \(known.selector)"
                    #expect(Set(try await store.ids(selector, limit: 2)) == known.found, comment)
                    #expect(try await store.count(selector) == known.found.count, comment)
                    #expect(try await store.exists(selector) == !known.found.isEmpty, comment)
                    for (name, _) in way == .scan ? [] : Self.indexes {
                        #expect(Set(try await store.ids(selector, index: [name])) == known.found, comment)
                    }
                }
            }
        }
    }

    private func define(in store: Datastore) async throws {
        for (name, fields) in Self.indexes { try await store.defineIndex(name, fields: fields) }
    }

    @Test(
        "Invalid queries are refused with CouchDB's messages",
        arguments: [
            (#"{"$or":"x"}"#, "bad_arg"), (#"{"$eq":1}"#, "invalid_selector"),
            (#"{"pet":{"$exists":"yes"}}"#, "bad_arg"),
            (#"{"pet":{"$regex":"("}}"#, "bad_arg"), (#"{"pet":{"$foo":1}}"#, "invalid_operator"),
            (#"{"pet":{"$in":"cat"}}"#, "bad_arg"), (#"{"score":{"$mod":[10,1.6]}}"#, "bad_arg"),
            (#"{"score":{"$mod":[0,1]}}"#, "bad_arg"), (#"{"pet":{"$size":-1}}"#, "bad_arg"),
            (#"{"pet":{"$size":1.6}}"#, "bad_arg"), (#"{"pet":{"$size":[1]}}"#, "bad_arg"),
            (#"{"tags":{"$elemMatch":{"$text":"a"}}}"#, "bad_arg"),
            (#"{"$or":[{"$text":"a","x":1},{"$text":"b","x":2}]}"#, "multiple_text_selector"),
        ])
    func refused(selector: String, error: String) async throws {
        try await withDatastore { store in
            let failure = await #expect(throws: StoreError.self) {
                _ = try await store.find(FindQuery(selector: try object(selector)))
            }
            #expect(
                failure?.code == .invalidRequest && failure?.message.hasPrefix(error + ":") == true, "\(failure as Any)"
            )
        }
    }

    @Test("Skip and limit select from the same list, also across slices")
    func paging() async throws {
        var limits = StoreLimits()
        limits.sliceRowsMax = 7
        try await withDatastore(limits: limits) { store in
            for number in 0..<150 {
                let id = String(1_000 + number)
                _ = try await store.create(
                    Document(id: id, body: ["n": .integer(Int64(number / 3)), "even": .bool(number % 2 == 0)]))
            }
            try await store.defineIndex("n", fields: ["n"])
            for sort in [[], ["n"], [.descending("n")], ["even", .descending("n")]] as [[QueryField]] {
                let selector: JSONObject = ["n": ["$gte": 0], "even": true]
                let all = try await store.ids(selector, sort: sort)
                #expect(all.count == 75)
                for (skip, limit) in [(0, 5), (2, 2), (40, 30), (70, 20), (80, 5)] {
                    let page = try await store.find(FindQuery(selector: selector, sort: sort, limit: limit, skip: skip))
                    #expect(
                        page.documents.compactMap(\.id) == Array(all.dropFirst(skip).prefix(limit)), "\(sort) \(skip)")
                }
                #expect(try await store.ids(selector, sort: sort, limit: 4) == all)
            }
        }
    }

    @Test("Sorted by several fields in both directions, no document without one of them is lost")
    func sorting() async throws {
        try await withDatastore { store in
            for (id, body) in Self.people { _ = try await store.create(Document(id: id, body: try object(body))) }
            _ = try await store.create(Document(id: "none", body: ["age": 1]))
            let sort: [QueryField] = ["name", .descending("age")]
            let expected = ["none", "fred34", "fred12", "mike34", "mike72", "mike12"]
            #expect(try await store.ids([:], sort: sort) == expected)
            #expect(
                try await store.find(FindQuery(selector: [:], sort: sort)).warning?.contains("sorted in memory") == true
            )
            try await store.defineIndex("i", fields: sort)
            #expect(try await store.find(FindQuery(selector: [:], sort: sort)).warning == nil)
            #expect(try await store.ids([:], sort: sort) == expected)
            let backward: [QueryField] = [.descending("name"), "age"]
            #expect(
                try await store.ids([:], sort: backward) == ["mike12", "mike72", "mike34", "fred12", "fred34", "none"])
        }
    }

    @Test("Creating an equal index returns the existing one, and a different index with the same name is refused")
    func definitions() async throws {
        try await withDatastore { store in
            let made = try await store.ensureIndex(["a", .descending("b")], named: "i")
            #expect(try await store.ensureIndex(["a", .descending("b")], named: "i").name == made.name)
            await #expect(throws: StoreError.self) { try await store.ensureIndex(["a"], named: "i") }
            await #expect(throws: StoreError.self) { try await store.ensureIndex([]) }
            await #expect(throws: StoreError.self) { try await store.ensureIndex(["a", "a"]) }
            #expect(try store.indexes().map(\.name) == ["_all_docs", "i"])
            let other = try await store.ensureIndex(["a"])
            #expect(try await store.ensureIndex(["a"]).name == other.name)
            try await store.deleteIndex("i")
            let failure = await #expect(throws: StoreError.self) { try await store.deleteIndex("i") }
            #expect(failure?.code == .indexNotFound)
            #expect(try store.indexes().count == 2)
        }
    }

    @Test("The index contains only documents that match the partial filter, and serves queries that need no others")
    func partialFilter() async throws {
        try await withDatastore { store in
            for (id, body) in Self.people { _ = try await store.create(Document(id: id, body: try object(body))) }
            try await store.defineIndex("cats", fields: ["age"], where: ["pet": "cat"])
            #expect(try await store.ids(["age": 34]).sorted() == ["fred34", "mike34", "mike72"])
            let page = try await store.find(FindQuery(selector: ["age": 34, "pet": "cat"]))
            #expect(Set(page.documents.compactMap(\.id)) == ["fred34", "mike72"] && page.warning == nil)
            // As in CouchDB, a query that names the index uses it unconditionally.
            #expect(try await store.ids(["age": 34], index: ["cats"]).sorted() == ["fred34", "mike72"])
        }
    }

    @Test("A document with selected fields has only these and cannot be saved")
    func projection() async throws {
        try await withDatastore { store in
            _ = try await store.create(
                Document(id: "a", body: try object(#"{"name":"x","in":{"b":1,"c":2},"list":[5,6],"n":1}"#)))
            for index in [[], [QueryField("n"), "in.b"]] as [[QueryField]] {
                if !index.isEmpty { try await store.defineIndex("i", fields: index) }
                let find = { (fields: [String]) in
                    try await store.find(FindQuery(selector: ["n": 1], fields: fields)).documents[0]
                }
                #expect(try await find(["name"]).body == ["name": "x"])
                #expect(try await find(["in.b", "n", "missing"]).body == ["in": ["b": 1], "n": 1])
                #expect(try await find(["in.c", "in.b"]).body == ["in": ["c": 2, "b": 1]])
                #expect(try await find(["_id", "n"]).id == "a")
                let part = try await find(["_id", "n"])
                await #expect(throws: StoreError.self) { _ = try await store.update(part) }
            }
        }
    }
}
