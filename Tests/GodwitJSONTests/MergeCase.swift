//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

/// A merge and its expected result, as texts.
struct MergeCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let base: String
    let ours: String
    let theirs: String
    let merged: String
    let conflicts: [[String]]
    let asSets: Bool

    init(
        _ name: String, _ base: String, _ ours: String, _ theirs: String, _ merged: String,
        conflicts: [[String]] = [], asSets: Bool = false
    ) {
        testDescription = name
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.merged = merged
        self.conflicts = conflicts
        self.asSets = asSets
    }

    static let members = [
        MergeCase("nothing", "{}", "{}", "{}", "{}"),
        MergeCase("changed by ours", #"{"a":1}"#, #"{"a":2}"#, #"{"a":1}"#, #"{"a":2}"#),
        MergeCase("changed by theirs", #"{"a":1}"#, #"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#),
        MergeCase("added by either", "{}", #"{"a":1}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#),
        MergeCase("removed by ours", #"{"a":1,"b":2}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#, #"{"b":2}"#),
        MergeCase("removed by theirs", #"{"a":1,"b":2}"#, #"{"a":1,"b":2}"#, #"{"b":2}"#, #"{"b":2}"#),
        MergeCase("removed by both", #"{"a":1}"#, "{}", "{}", "{}"),
        MergeCase("changed alike", #"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#, #"{"a":2}"#),
        MergeCase("changed differently", #"{"a":1}"#, #"{"a":2}"#, #"{"a":3}"#, #"{"a":2}"#, conflicts: [["a"]]),
        MergeCase("added differently", "{}", #"{"a":2}"#, #"{"a":3}"#, #"{"a":2}"#, conflicts: [["a"]]),
        MergeCase("removed and changed", #"{"a":1}"#, "{}", #"{"a":3}"#, "{}", conflicts: [["a"]]),
        MergeCase("changed and removed", #"{"a":1}"#, #"{"a":2}"#, "{}", #"{"a":2}"#, conflicts: [["a"]]),
        MergeCase("null is a value", #"{"a":1}"#, #"{"a":null}"#, #"{"a":1}"#, #"{"a":null}"#),
        MergeCase("null is not nothing", #"{"a":1}"#, #"{"a":null}"#, "{}", #"{"a":null}"#, conflicts: [["a"]]),
        MergeCase("an integer is no double", #"{"a":1}"#, #"{"a":1.0}"#, #"{"a":1}"#, #"{"a":1.0}"#),
        MergeCase(
            "names by their scalars", #"{"\u00E9":1}"#, #"{"e\u0301":1}"#, #"{"\u00E9":1,"c":1}"#,
            "{\"e\u{301}\":1,\"c\":1}"),
        MergeCase(
            "strings by their scalars", #"{"a":"\u00E9"}"#, #"{"a":"e\u0301"}"#, #"{"a":"\u00E9"}"#,
            "{\"a\":\"e\u{301}\"}"),
        MergeCase(
            "ours first, then theirs", #"{"a":1,"b":1,"c":1}"#, #"{"c":1,"x":1,"a":1,"b":1}"#,
            #"{"z":1,"b":1,"y":1,"a":2,"c":1}"#, #"{"c":1,"x":1,"a":2,"b":1,"z":1,"y":1}"#),
    ]

    static let objects = [
        MergeCase(
            "both within", #"{"o":{"a":1,"b":1}}"#, #"{"o":{"a":2,"b":1}}"#, #"{"o":{"a":1,"b":2,"c":3}}"#,
            #"{"o":{"a":2,"b":2,"c":3}}"#),
        MergeCase(
            "differently within", #"{"o":{"p":{"a":1}},"x":1}"#, #"{"o":{"p":{"a":2}},"x":2}"#,
            #"{"o":{"p":{"a":3}},"x":3}"#, #"{"o":{"p":{"a":2}},"x":2}"#, conflicts: [["o", "p", "a"], ["x"]]),
        MergeCase("both made it", "{}", #"{"o":{"a":1}}"#, #"{"o":{"b":2}}"#, #"{"o":{"a":1,"b":2}}"#),
        MergeCase("both made it of a number", #"{"o":1}"#, #"{"o":{"a":1}}"#, #"{"o":{}}"#, #"{"o":{"a":1}}"#),
        MergeCase("emptied by both", #"{"o":{"a":1,"b":1}}"#, #"{"o":{"a":1}}"#, #"{"o":{"b":1}}"#, #"{"o":{}}"#),
        MergeCase(
            "removed and changed within", #"{"o":{"a":1}}"#, "{}", #"{"o":{"a":2}}"#, "{}", conflicts: [["o"]]),
        MergeCase("a number now", #"{"o":{"a":1}}"#, #"{"o":{"a":1}}"#, #"{"o":1}"#, #"{"o":1}"#),
        MergeCase(
            "a number and an object", #"{"o":{"a":1}}"#, #"{"o":7}"#, #"{"o":{"a":2}}"#, #"{"o":7}"#,
            conflicts: [["o"]]),
    ]

    static let arrays = [
        MergeCase("changed by ours", #"{"a":[1]}"#, #"{"a":[2,2]}"#, #"{"a":[1]}"#, #"{"a":[2,2]}"#, asSets: true),
        MergeCase(
            "as wholes", #"{"a":[1]}"#, #"{"a":[1,2]}"#, #"{"a":[1,3]}"#, #"{"a":[1,2]}"#, conflicts: [["a"]]),
        MergeCase(
            "as sets", #"{"a":[1,2,3]}"#, #"{"a":[3,"x",1]}"#, #"{"a":[0,2,3,null]}"#, #"{"a":[3,"x",0,null]}"#,
            asSets: true),
        MergeCase("added by both", "{}", #"{"a":[2,1,2]}"#, #"{"a":[3,2]}"#, #"{"a":[2,1,3]}"#, asSets: true),
        MergeCase("of a number", #"{"a":1}"#, #"{"a":[1]}"#, #"{"a":[2]}"#, #"{"a":[1,2]}"#, asSets: true),
        MergeCase(
            "with objects", #"{"a":[]}"#, #"{"a":[1]}"#, #"{"a":[{}]}"#, #"{"a":[1]}"#, conflicts: [["a"]],
            asSets: true),
        MergeCase(
            "and a number", #"{"a":[]}"#, #"{"a":[1]}"#, #"{"a":2}"#, #"{"a":[1]}"#, conflicts: [["a"]], asSets: true),
    ]
}
