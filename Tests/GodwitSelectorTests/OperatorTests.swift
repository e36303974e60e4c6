//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@Suite("Operators")
struct OperatorTests {
    @Test(
        "Comparisons",
        arguments: [
            (#"{"a": 1}"#, #"{"a": 1}"#, true),
            (#"{"a": 1}"#, #"{"a": 1.0}"#, true),
            (#"{"a": 1}"#, #"{"a": 2}"#, false),
            (#"{"a": 1}"#, #"{"a": "1"}"#, false),
            (#"{"a": null}"#, #"{"a": null}"#, true),
            (#"{"a": null}"#, #"{}"#, false),
            (#"{"a": {"$eq": [1, "b"]}}"#, #"{"a": [1, "b"]}"#, true),
            (#"{"a": {"$eq": [1, "b"]}}"#, #"{"a": ["b", 1]}"#, false),
            (#"{"a": {"$eq": 1}}"#, #"{"a": [1]}"#, false),
            (#"{"a": {"$eq": {"x": 1, "y": 2}}}"#, #"{"a": {"x": 1, "y": 2}}"#, true),
            (#"{"a": {"$eq": {"x": 1, "y": 2}}}"#, #"{"a": {"y": 2, "x": 1}}"#, false),
            (#"{"a": {}}"#, #"{"a": {}}"#, true),
            (#"{"a": {}}"#, #"{"a": {"b": 1}}"#, false),
            (#"{"a": "Straße"}"#, #"{"a": "Stra\u00dfe"}"#, true),
            (#"{"a": "e\u0301"}"#, #"{"a": "\u00e9"}"#, true),
            (#"{"a": "godwit"}"#, #"{"a": "god\u0000wit"}"#, true),
            (#"{"a": "godwit"}"#, #"{"a": "Godwit"}"#, false),
            (#"{"a": {"$ne": 1}}"#, #"{"a": 2}"#, true),
            (#"{"a": {"$ne": 1}}"#, #"{"a": null}"#, true),
            (#"{"a": {"$ne": 1}}"#, #"{"a": 1}"#, false),
            (#"{"a": {"$ne": 1}}"#, #"{"b": 2}"#, false),
            (#"{"a": {"$lt": 2}}"#, #"{"a": 1.5}"#, true),
            (#"{"a": {"$lt": 2}}"#, #"{"a": 2}"#, false),
            (#"{"a": {"$lt": 2}}"#, #"{"a": null}"#, true),
            (#"{"a": {"$lt": 2}}"#, #"{}"#, false),
            (#"{"a": {"$lte": 2}}"#, #"{"a": 2}"#, true),
            (#"{"a": {"$lte": 2}}"#, #"{"a": "2"}"#, false),
            (#"{"a": {"$gt": 2}}"#, #"{"a": 3}"#, true),
            (#"{"a": {"$gt": 2}}"#, #"{"a": 2}"#, false),
            (#"{"a": {"$gt": 2}}"#, #"{"a": "1"}"#, true),
            (#"{"a": {"$gt": "z"}}"#, #"{"a": []}"#, true),
            (#"{"a": {"$gt": []}}"#, #"{"a": {}}"#, true),
            (#"{"a": {"$gt": true}}"#, #"{"a": 0}"#, true),
            (#"{"a": {"$gte": 2}}"#, #"{"a": 2}"#, true),
            (#"{"a": {"$gte": 2}}"#, #"{"a": true}"#, false),
            (#"{"a": {"$gt": 1, "$lt": 3}}"#, #"{"a": 2}"#, true),
            (#"{"a": {"$gt": 1, "$lt": 3}}"#, #"{"a": 3}"#, false),
            (#"{"a": 9007199254740993}"#, #"{"a": 9007199254740992}"#, false),
            (#"{"a": {"$gt": 9007199254740992.0}}"#, #"{"a": 9007199254740993}"#, true),
            (#"{"a": 123456789012345678901234567890}"#, #"{"a": 123456789012345678901234567890}"#, true),
            (#"{"a": {"$lt": "b"}}"#, #"{"a": "A"}"#, true),
            (#"{"a": {"$lt": "A"}}"#, #"{"a": "a"}"#, true),
        ])
    func comparisons(selector: String, document: String, expected: Bool) throws {
        #expect(try matches(selector, document) == expected)
    }

    @Test(
        "Presence, type and text",
        arguments: [
            (#"{"a": {"$exists": true}}"#, #"{"a": null}"#, true),
            (#"{"a": {"$exists": true}}"#, #"{}"#, false),
            (#"{"a": {"$exists": false}}"#, #"{}"#, true),
            (#"{"a": {"$exists": false}}"#, #"{"a": null}"#, false),
            (#"{"a.b": {"$exists": false}}"#, #"{"a": {}}"#, true),
            (#"{"a.b": {"$exists": false}}"#, #"{"a": 5}"#, false),
            (#"{"a.3": {"$exists": false}}"#, #"{"a": [1]}"#, false),
            (#"{"a": {"$type": "null"}}"#, #"{"a": null}"#, true),
            (#"{"a": {"$type": "boolean"}}"#, #"{"a": false}"#, true),
            (#"{"a": {"$type": "number"}}"#, #"{"a": 1.5}"#, true),
            (#"{"a": {"$type": "string"}}"#, #"{"a": "1"}"#, true),
            (#"{"a": {"$type": "array"}}"#, #"{"a": []}"#, true),
            (#"{"a": {"$type": "object"}}"#, #"{"a": {}}"#, true),
            (#"{"a": {"$type": "object"}}"#, #"{"a": []}"#, false),
            (#"{"a": {"$type": "integer"}}"#, #"{"a": 1}"#, false),
            (#"{"a": {"$mod": [4, 3]}}"#, #"{"a": 7}"#, true),
            (#"{"a": {"$mod": [4, -3]}}"#, #"{"a": -7}"#, true),
            (#"{"a": {"$mod": [4, 3]}}"#, #"{"a": 8}"#, false),
            (#"{"a": {"$mod": [4, 3]}}"#, #"{"a": 7.0}"#, false),
            (#"{"a": {"$mod": [-1, 0]}}"#, #"{"a": -9223372036854775808}"#, true),
            (#"{"a": {"$mod": [10, 7]}}"#, #"{"a": 100000000000000000000007}"#, true),
            (#"{"a": {"$mod": [9223372036854775807, -1]}}"#, #"{"a": -9223372036854775808}"#, true),
            (#"{"a": {"$regex": "^New.*k$"}}"#, #"{"a": "New York"}"#, true),
            (#"{"a": {"$regex": "^new"}}"#, #"{"a": "New York"}"#, false),
            (#"{"a": {"$regex": "(?i)^new"}}"#, #"{"a": "New York"}"#, true),
            (#"{"a": {"$regex": "(?i)^new(.)(.)(.)"}}"#, #"{"a": "New York"}"#, true),
            (#"{"a": {"$regex": "\n"}}"#, #"{"a": "one\ntwo"}"#, true),
            (#"{"a": {"$regex": ""}}"#, #"{"a": ""}"#, true),
            (#"{"a": {"$regex": "1"}}"#, #"{"a": 1}"#, false),
            (#"{"a": {"$regex": "^.$"}}"#, #"{"a": "\u00e9"}"#, false),
            (#"{"a": {"$regex": "(*UTF)^.$"}}"#, #"{"a": "\u00e9"}"#, true),
            (#"{"a": {"$beginsWith": "New"}}"#, #"{"a": "New York"}"#, true),
            (#"{"a": {"$beginsWith": "new"}}"#, #"{"a": "New York"}"#, false),
            (#"{"a": {"$beginsWith": ""}}"#, #"{"a": ""}"#, true),
            (#"{"a": {"$beginsWith": ""}}"#, #"{"a": 1}"#, false),
            (#"{"a": {"$beginsWith": "e"}}"#, #"{"a": "e\u0301t\u00e9"}"#, true),
            (#"{"$text": "godwit"}"#, #"{"a": "godwit"}"#, false),
        ])
    func presenceTypeAndText(selector: String, document: String, expected: Bool) throws {
        #expect(try matches(selector, document) == expected)
    }

    @Test(
        "Combinations",
        arguments: [
            (#"{}"#, #"{"a": 1}"#, true),
            (#"{"$and": [{"a": 1}, {"b": 2}]}"#, #"{"a": 1, "b": 2}"#, true),
            (#"{"$and": [{"a": 1}, {"b": 2}]}"#, #"{"a": 1}"#, false),
            (#"{"$and": []}"#, #"{}"#, true),
            (#"{"$or": [{"a": 1}, {"b": 2}]}"#, #"{"b": 2}"#, true),
            (#"{"$or": [{"a": 1}, {"b": 2}]}"#, #"{"b": 3}"#, false),
            (#"{"a": 22, "$or": []}"#, #"{"a": 22}"#, true),
            (#"{"$nor": [{"a": 1}, {"b": 2}]}"#, #"{"a": 2, "b": 3}"#, true),
            (#"{"$nor": [{"a": 1}, {"b": 2}]}"#, #"{"a": 2, "b": 2}"#, false),
            (#"{"$nor": [{"a": 1}]}"#, #"{}"#, false),
            (#"{"$not": {"a": 1}}"#, #"{"a": 2}"#, true),
            (#"{"$not": {"a": 1}}"#, #"{"a": 1}"#, false),
            (#"{"$not": {"a": 1}}"#, #"{}"#, false),
            (#"{"a": {"$not": {"$regex": "x"}}}"#, #"{"a": 1}"#, true),
            (#"{"a": {"$not": {"$regex": "x"}}}"#, #"{}"#, false),
            (#"{"a": {"$not": {"$elemMatch": {"$eq": 1}}}}"#, #"{"a": [2]}"#, true),
            (#"{"a": {"$not": {"$exists": true}}}"#, #"{}"#, true),
            (#"{"a": {"$or": [1, {"$gt": 5}]}}"#, #"{"a": 1}"#, true),
            (#"{"$or": [{"$gt": 5}]}"#, #"{}"#, true),
        ])
    func combinations(selector: String, document: String, expected: Bool) throws {
        #expect(try matches(selector, document) == expected)
    }

    @Test(
        "Paths",
        arguments: [
            (#"{"a.b": 1}"#, #"{"a": {"b": 1}}"#, true),
            (#"{"a": {"b": 1}}"#, #"{"a": {"b": 1, "c": 2}}"#, true),
            (#"{"a.b": 1}"#, #"{"a.b": 1}"#, false),
            (#"{"a\\.b": 1}"#, #"{"a.b": 1}"#, true),
            (#"{"a.b\\.c": 1}"#, #"{"a": {"b.c": 1}}"#, true),
            (#"{"\\$a": 1}"#, #"{"$a": 1}"#, true),
            (#"{"\\$a.b": 1}"#, #"{"$a": {"b": 1}}"#, true),
            (#"{"a.1": "y"}"#, #"{"a": ["x", "y"]}"#, true),
            (#"{"a.1.b": 2}"#, #"{"a": [0, {"b": 2}]}"#, true),
            (#"{"a.2": {"$exists": true}}"#, #"{"a": ["x", "y"]}"#, false),
            (#"{"a.-1": {"$exists": true}}"#, #"{"a": ["x", "y"]}"#, false),
            (#"{"a.b": "x"}"#, #"{"a": [{"b": "x"}]}"#, false),
            (#"{"\u00e9.b": 1}"#, #"{"\u00e9": {"\u0062": 1}}"#, true),
            (#"{"a.0": 1}"#, #"{"a": {"0": 1}}"#, true),
        ])
    func paths(selector: String, document: String, expected: Bool) throws {
        #expect(try matches(selector, document) == expected)
    }

    @Test(
        "The field _id is compared by bytes, and like Erlang's terms",
        arguments: [
            (#"{"_id": {"$gt": null}}"#, #"{"_id": "a"}"#, true),
            (#"{"_id": {"$gt": {}}}"#, #"{"_id": "a"}"#, true),
            (#"{"_id": {"$lt": "a"}}"#, #"{"_id": "B"}"#, true),
            (#"{"_id": "e\u0301"}"#, #"{"_id": "\u00e9"}"#, false),
            (#"{"_id": {"$in": ["a", "b"]}}"#, #"{"_id": "b"}"#, true),
            (#"{"_id": {"$gt": [1]}}"#, #"{"_id": "a"}"#, true),
        ])
    func identifiers(selector: String, document: String, expected: Bool) throws {
        #expect(try matches(selector, document) == expected)
    }
}
