//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@Suite("Operators with lists")
struct ListOperatorTests {
    @Test(
        "Lists",
        arguments: [
            (#"{"a": {"$in": [1, "x"]}}"#, #"{"a": "x"}"#, true),
            (#"{"a": {"$in": [1, "x"]}}"#, #"{"a": 2}"#, false),
            (#"{"a": {"$in": [1, "x"]}}"#, #"{"a": [5, "x"]}"#, true),
            (#"{"a": {"$in": [[5, "x"]]}}"#, #"{"a": [5, "x"]}"#, false),
            (#"{"a": {"$in": []}}"#, #"{"a": 1}"#, false),
            (#"{"a": {"$in": [null]}}"#, #"{}"#, false),
            (#"{"a": {"$nin": [1, 2]}}"#, #"{"a": 3}"#, true),
            (#"{"a": {"$nin": [1, 2]}}"#, #"{"a": 2.0}"#, false),
            (#"{"a": {"$nin": [1, 2]}}"#, #"{"a": [3, 2]}"#, false),
            (#"{"a": {"$nin": [1, 2]}}"#, #"{"a": []}"#, true),
            (#"{"a": {"$nin": []}}"#, #"{"a": 3}"#, true),
            (#"{"a": {"$nin": [1]}}"#, #"{"b": 3}"#, false),
            (#"{"a": {"$all": [1, 2]}}"#, #"{"a": [2, 3, 1]}"#, true),
            (#"{"a": {"$all": [1, 2]}}"#, #"{"a": [2, 3]}"#, false),
            (#"{"a": {"$all": [1]}}"#, #"{"a": [1.0]}"#, false),
            (#"{"a": {"$all": ["e\u0301"]}}"#, #"{"a": ["\u00e9"]}"#, false),
            (#"{"a": {"$all": [[1, 2]]}}"#, #"{"a": [1, 2.0]}"#, true),
            (#"{"a": {"$all": [[1, 2]]}}"#, #"{"a": [[1, 2], 3]}"#, true),
            (#"{"a": {"$all": []}}"#, #"{"a": []}"#, false),
            (#"{"a": {"$all": [1]}}"#, #"{"a": 1}"#, false),
            (#"{"a": {"$size": 2}}"#, #"{"a": [1, 2]}"#, true),
            (#"{"a": {"$size": 2}}"#, #"{"a": [1]}"#, false),
            (#"{"a": {"$size": 0}}"#, #"{"a": {}}"#, false),
            (#"{"a": {"$size": 99999999999999999999}}"#, #"{"a": []}"#, false),
            (#"{"a": {"$elemMatch": {"b": 1, "c": {"$gt": 2}}}}"#, #"{"a": [{"b": 1}, {"b": 1, "c": 3}]}"#, true),
            (#"{"a": {"$elemMatch": {"b": 1, "c": {"$gt": 2}}}}"#, #"{"a": [{"b": 1}, {"b": 2, "c": 3}]}"#, false),
            (#"{"a": {"$elemMatch": {"$gte": 80, "$lt": 85}}}"#, #"{"a": [70, 82]}"#, true),
            (#"{"a": {"$elemMatch": {"$gte": 80, "$lt": 85}}}"#, #"{"a": [70, 85]}"#, false),
            (#"{"a": {"$elemMatch": {"$eq": 1}}}"#, #"{"a": 1}"#, false),
            (#"{"a": {"$elemMatch": {"$nor": [{"$eq": 1}]}}}"#, #"{"a": [1, 2]}"#, true),
            (#"{"a": {"$elemMatch": {"$not": {"$eq": 1}}}}"#, #"{"a": [1]}"#, false),
            (#"{"a": {"$elemMatch": {}}}"#, #"{"a": [1, {}]}"#, true),
            (#"{"a": {"$allMatch": {"b": {"$mod": [2, 1]}}}}"#, #"{"a": [{"b": 1}, {"b": 3}]}"#, true),
            (#"{"a": {"$allMatch": {"b": {"$mod": [2, 1]}}}}"#, #"{"a": [{"b": 1}, {"b": 4}]}"#, false),
            (#"{"a": {"$allMatch": {"b": 2}}}"#, #"{"a": []}"#, false),
            (#"{"a": {"$allMatch": {"$gt": 2}}}"#, #"{"a": {"b": 3}}"#, false),
            (#"{"a": {"$keyMapMatch": {"$eq": "en"}}}"#, #"{"a": {"de": 1, "en": 2}}"#, true),
            (#"{"a": {"$keyMapMatch": {"$eq": "en"}}}"#, #"{"a": {"de": "en"}}"#, false),
            (#"{"a": {"$keyMapMatch": {"$beginsWith": "\u00e9"}}}"#, #"{"a": {"\u00e9t\u00e9": 1}}"#, true),
            (#"{"a": {"$keyMapMatch": {"$eq": "en"}}}"#, #"{"a": ["en"]}"#, false),
        ])
    func lists(selector: String, document: String, expected: Bool) throws {
        #expect(try matches(selector, document) == expected)
    }
}
