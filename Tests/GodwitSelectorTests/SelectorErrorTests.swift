//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import Testing

@Suite("Selector errors")
struct SelectorErrorTests {
    @Test(
        "Errors have CouchDB's messages",
        arguments: [
            (#"3"#, "invalid_selector_json", "Selector must be a JSON object, not: 3"),
            (#"["a"]"#, "invalid_selector_json", "Selector must be a JSON object, not: [<<97>>]"),
            (#"{"$foo": 1}"#, "invalid_operator", "Invalid operator: $foo"),
            (#"{"a": {"$foo": 1}}"#, "invalid_operator", "Invalid operator: $foo"),
            (#"{"a": {"$": 1}}"#, "invalid_operator", "Invalid operator: $"),
            (#"{"a": {"$regex": 1}}"#, "invalid_operator", "Invalid operator: $regex"),
            (#"{"a": {"$beginsWith": true}}"#, "invalid_operator", "Invalid operator: $beginsWith"),
            (#"{"$eq": 1}"#, "invalid_selector", "One or more conditions is missing a field name."),
            (#"{"": 1}"#, "invalid_selector", "One or more conditions is missing a field name."),
            (#"{"$not": {}}"#, "invalid_selector", "One or more conditions is missing a field name."),
            (#"{"a": {"$in": 3}}"#, "bad_arg", "Bad argument for operator $in: 3"),
            (
                #"{"a": {"$nin": {"b": [1.5, null]}}}"#, "bad_arg",
                "Bad argument for operator $nin: {[{<<98>>,[1.5,null]}]}"
            ),
            (#"{"a": {"$all": "x"}}"#, "bad_arg", "Bad argument for operator $all: <<120>>"),
            (#"{"$and": {}}"#, "bad_arg", "Bad argument for operator $and: {[]}"),
            (#"{"$or": 1}"#, "bad_arg", "Bad argument for operator $or: 1"),
            (#"{"$nor": false}"#, "bad_arg", "Bad argument for operator $nor: false"),
            (#"{"$not": []}"#, "bad_arg", "Bad argument for operator $not: []"),
            (#"{"a": {"$elemMatch": 1}}"#, "bad_arg", "Bad argument for operator $elemMatch: 1"),
            (#"{"a": {"$allMatch": ""}}"#, "bad_arg", "Bad argument for operator $allMatch: <<>>"),
            (#"{"a": {"$keyMapMatch": 1}}"#, "bad_arg", "Bad argument for operator $keyMapMatch: 1"),
            (#"{"a": {"$exists": 1}}"#, "bad_arg", "Bad argument for operator $exists: 1"),
            (#"{"a": {"$type": 1}}"#, "bad_arg", "Bad argument for operator $type: 1"),
            (#"{"a": {"$mod": [2]}}"#, "bad_arg", "Bad argument for operator $mod: [2]"),
            (#"{"a": {"$mod": [2, 1.0]}}"#, "bad_arg", "Bad argument for operator $mod: [2,1.0]"),
            (#"{"a": {"$mod": [0, 1]}}"#, "bad_arg", "Bad argument for operator $mod: [0,1]"),
            (#"{"a": {"$size": -1}}"#, "bad_arg", "Bad argument for operator $size: -1"),
            (#"{"a": {"$size": 1e30}}"#, "bad_arg", "Bad argument for operator $size: 1.0e30"),
            (#"{"a": {"$size": 0.001}}"#, "bad_arg", "Bad argument for operator $size: 0.001"),
            (#"{"a": {"$size": -1.25e-9}}"#, "bad_arg", "Bad argument for operator $size: -1.25e-9"),
            (#"{"a": {"$size": 1000.0}}"#, "bad_arg", "Bad argument for operator $size: 1.0e3"),
            (#"{"a": {"$size": 1230.0}}"#, "bad_arg", "Bad argument for operator $size: 1230.0"),
            (#"{"a": {"$size": 0.0}}"#, "bad_arg", "Bad argument for operator $size: 0.0"),
            (#"{"a": {"$regex": "["}}"#, "bad_arg", "Bad argument for operator $regex: <<91>>"),
            (#"{"$text": ["x"]}"#, "bad_arg", "Bad argument for operator $text: [<<120>>]"),
            (
                #"{"$not": {"$text": "x"}}"#, "bad_arg",
                "Bad argument for operator $not: {[{<<36,100,101,102,97,117,108,116>>,"
                    + "{[{<<36,116,101,120,116>>,<<120>>}]}}]}"
            ),
            (
                #"{"a": {"$text": "x"}}"#, "bad_field",
                "Invalid field normalization on selector: {[{<<36,100,101,102,97,117,108,116>>,"
                    + "{[{<<36,116,101,120,116>>,<<120>>}]}}]}"
            ),
            (#"{"$where": "x"}"#, "not_supported", "Unsupported operator: $where"),
            (#"{"a": {"$nearSphere": 1}}"#, "not_supported", "Unsupported operator: $nearSphere"),
            (
                #"{"a..b": 1}"#, "invalid_field_name",
                "Unknown Error: mango_util :: {invalid_field_name,<<97,46,46,98>>}"
            ),
        ])
    func words(selector: String, error: String, reason: String) throws {
        let failure = failure(of: try json(selector))
        #expect(failure?.error == error)
        #expect(failure?.reason == reason)
        #expect(failure?.status == 400)
    }

    @Test("Depth is limited, arguments included")
    func depth() {
        func nested(_ levels: Int, _ inner: JSONValue) -> JSONValue {
            (0..<levels).reduce(inner) { value, _ in ["a": value] }
        }
        #expect(failure(of: nested(SelectorLimits.depthMax, 1)) == nil)
        #expect(failure(of: nested(SelectorLimits.depthMax + 1, 1))?.reason.contains("deeper") == true)
        let argument = (0..<SelectorLimits.depthMax).reduce(JSONValue.null) { value, _ in [value] }
        #expect(failure(of: ["a": argument])?.error == "invalid_selector")
    }

    @Test("The number of clauses is limited")
    func clauses() {
        func selector(_ count: Int) -> JSONValue { ["$or": .array(Array(repeating: ["a": 1], count: count))] }
        // Each element counts as two clauses, and `$or` as one.
        #expect(failure(of: selector((SelectorLimits.clauseCountMax - 1) / 2)) == nil)
        #expect(failure(of: selector(SelectorLimits.clauseCountMax / 2))?.error == "invalid_selector")
    }

    @Test("Paths and reasons have limits")
    func lengths() {
        let half = String(repeating: "x", count: SelectorLimits.fieldBytesMax / 2)
        #expect(failure(of: .object([half: 1])) == nil)
        #expect(failure(of: .object([half: .object([half: 1])]))?.reason.contains("bytes") == true)
        #expect(failure(of: .object([half + half + "x": 1]))?.reason.contains("bytes") == true)
        let reason = failure(of: ["a": ["$in": .string(half + half)]])?.reason
        #expect((reason?.utf8.count ?? 0) < SelectorLimits.reasonArgumentBytesMax + 50)
    }

    @Test("A pattern with unlimited backtracking does not match, and ends soon")
    func catastrophicPattern() throws {
        let text = String(repeating: "a", count: 40)
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try matches(#"{"a": {"$regex": "^(a+)+$"}}"#, #"{"a": "\#(text)!"}"#) == false)
        // Without the limit the match would take hours.
        #expect(clock.now - start < .seconds(60))
    }

    #if !SystemLibraries
        @Test("A pattern that needs PCRE2 is refused with its reason")
        func unsupportedPattern() {
            let error = failure(of: ["a": ["$regex": "(?=b)"]])
            #expect(error?.error == "bad_arg")
            #expect(error?.reason.contains("It contains look-ahead. This program searches without PCRE2.") == true)
            #expect(
                failure(of: ["a": ["$regex": "(a{1000}){1000}"]])?.reason.contains("repetitions are too large") == true)
        }
    #endif
}
