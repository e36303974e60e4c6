//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
import Testing

@Suite("Normalization")
struct NormalizationTests {
    @Test(
        "Selectors get CouchDB's normal form, which is stable",
        arguments: [
            (#"{}"#, #"{}"#),
            (#"{"a": 1}"#, #"{"a":{"$eq":1}}"#),
            (#"{"a": 1, "b": 2}"#, #"{"$and":[{"a":{"$eq":1}},{"b":{"$eq":2}}]}"#),
            (#"{"foo": {"$and": [{"$gt": 5}, {"$lt": 10}]}}"#, #"{"$and":[{"foo":{"$gt":5}},{"foo":{"$lt":10}}]}"#),
            (#"{"foo": {"$gt": 5, "$lt": 10}}"#, #"{"$and":[{"foo":{"$gt":5}},{"foo":{"$lt":10}}]}"#),
            (#"{"foo": {"bar": {"$gt": 10}}}"#, #"{"foo.bar":{"$gt":10}}"#),
            (#"{"foo": {"bar": {}}}"#, #"{"foo.bar":{"$eq":{}}}"#),
            (#"{"$not": {"foo": {"$gt": 10}}}"#, #"{"foo":{"$lte":10}}"#),
            (
                #"{"$not": {"$and": [{"foo": {"$gt": 10}}, {"foo": {"$lt": 5}}]}}"#,
                #"{"$or":[{"foo":{"$lte":10}},{"foo":{"$gte":5}}]}"#
            ),
            (#"{"$nor": [{"a": 1}, {"b": {"$ne": 2}}]}"#, #"{"$and":[{"a":{"$ne":1}},{"b":{"$eq":2}}]}"#),
            (#"{"$not": {"$nor": [{"a": 1}, {"$not": {"b": 2}}]}}"#, #"{"$or":[{"a":{"$eq":1}},{"b":{"$ne":2}}]}"#),
            (#"{"a": {"$not": {"$in": [1]}}}"#, #"{"a":{"$nin":[1]}}"#),
            (#"{"a": {"$not": {"$nin": [1]}}}"#, #"{"a":{"$in":[1]}}"#),
            (#"{"a": {"$not": {"$exists": true}}}"#, #"{"a":{"$exists":false}}"#),
            (#"{"a": {"$not": {"$not": {"$lt": 1}}}}"#, #"{"a":{"$lt":1}}"#),
            (#"{"a": {"$not": {"$gte": 1}}}"#, #"{"a":{"$lt":1}}"#),
            (#"{"a": {"$not": {"$regex": "x"}}}"#, #"{"a":{"$not":{"$regex":"x"}}}"#),
            (#"{"$not": {"$or": [{"a": 1}, {"b": 2}]}}"#, #"{"$and":[{"a":{"$ne":1}},{"b":{"$ne":2}}]}"#),
            (
                #"{"a": {"$elemMatch": {"$gte": 80, "$lt": 85}}}"#,
                #"{"a":{"$elemMatch":{"$and":[{"":{"$gte":80}},{"":{"$lt":85}}]}}}"#
            ),
            (#"{"a": {"$elemMatch": {"b": {"c": 1}}}}"#, #"{"a":{"$elemMatch":{"b.c":{"$eq":1}}}}"#),
            (#"{"a": {"$elemMatch": {"$not": {"$eq": 1}}}}"#, #"{"a":{"$elemMatch":{"$not":{"":{"$eq":1}}}}}"#),
            (#"{"a": {"$not": {"$allMatch": {"b": 1}}}}"#, #"{"a":{"$not":{"$allMatch":{"b":{"$eq":1}}}}}"#),
            (#"{"a": {"$keyMapMatch": {"$eq": "x"}}}"#, #"{"a":{"$keyMapMatch":{"":{"$eq":"x"}}}}"#),
            (#"{"$text": "x", "a": 1}"#, #"{"$and":[{"$default":{"$text":"x"}},{"a":{"$eq":1}}]}"#),
        ])
    func normalForm(selector: String, expected: String) throws {
        let normalized = try Selector(parsing: json(selector)).normalized
        #expect(normalized.jsonText() == expected)
        #expect(try Selector(parsing: normalized).normalized.jsonText() == expected)
    }

    @Test("Fields are found in the document")
    func fields() throws {
        let selector = #"{"a": {"b": 1}, "$or": [{"c\\.d": 2}, {"e": {"$elemMatch": {"f": 3}}}], "$text": "g"}"#
        let parsed = try Selector(parsing: json(selector))
        #expect(parsed.fields.map(\.text).sorted() == ["a.b", #"c\.d"#, "e"])
        #expect(parsed.usesText)
        #expect(try !Selector(parsing: ["a": ["$eq": ["$text": "x"]]]).usesText)
    }
}
