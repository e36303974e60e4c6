//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import Testing

/// Formats and their selectors.
private let formats: [(String, String)] = [
    ("year = 2006 AND make BEGINSWITH 'T'", #"{"$and":[{"year":{"$eq":2006}},{"make":{"$beginsWith":"T"}}]}"#),
    ("a == 1", #"{"a":{"$eq":1}}"#),
    ("a != 1", #"{"a":{"$ne":1}}"#),
    ("a <> 1", #"{"a":{"$ne":1}}"#),
    ("a < -1.5", #"{"a":{"$lt":-1.5}}"#),
    ("a <= 1e3", #"{"a":{"$lte":1000.0}}"#),
    ("a =< 1E-2", #"{"a":{"$lte":0.01}}"#),
    ("a > 123456789012345678901234567890", #"{"a":{"$gt":123456789012345678901234567890}}"#),
    ("a >= 1", #"{"a":{"$gte":1}}"#),
    ("a => 1", #"{"a":{"$gte":1}}"#),
    ("5 < year", #"{"year":{"$gt":5}}"#),
    ("5 = year", #"{"year":{"$eq":5}}"#),
    ("a=1&&b=2||c=3", #"{"$or":[{"$and":[{"a":{"$eq":1}},{"b":{"$eq":2}}]},{"c":{"$eq":3}}]}"#),
    ("a=1 and (b=2 or c=3)", #"{"$and":[{"a":{"$eq":1}},{"$or":[{"b":{"$eq":2}},{"c":{"$eq":3}}]}]}"#),
    ("NOT a = 1", #"{"a":{"$ne":1}}"#),
    ("!(a < 1 AND b = 2)", #"{"$or":[{"a":{"$gte":1}},{"b":{"$ne":2}}]}"#),
    ("NOT NOT a LIKE 'x'", #"{"a":{"$regex":"(*UTF)(?s)\\Ax\\z"}}"#),
    ("a BETWEEN {1, 5}", #"{"$and":[{"a":{"$gte":1}},{"a":{"$lte":5}}]}"#),
    ("a IN {1, 'x', nil}", #"{"$or":[{"a":{"$in":[1,"x"]}},{"a":{"$exists":false}},{"a":{"$eq":null}}]}"#),
    ("a in {}", #"{"a":{"$in":[]}}"#),
    ("a BEGINSWITH[c] 'T.'", #"{"a":{"$regex":"(*UTF)(?i)\\AT\\."}}"#),
    ("a ENDSWITH 'a$'", #"{"a":{"$regex":"a\\$\\z"}}"#),
    ("a ENDSWITH[c] 'a'", #"{"a":{"$regex":"(*UTF)(?i)a\\z"}}"#),
    ("a CONTAINS 3", #"{"a":{"$elemMatch":{"$eq":3}}}"#),
    ("a CONTAINS 'x'", #"{"$or":[{"a":{"$elemMatch":{"$eq":"x"}}},{"a":{"$regex":"x"}}]}"#),
    ("'x' IN a", #"{"$or":[{"a":{"$elemMatch":{"$eq":"x"}}},{"a":{"$regex":"x"}}]}"#),
    ("{1, 2} CONTAINS a", #"{"a":{"$in":[1,2]}}"#),
    (#"a LIKE 't?\\*a*'"#, #"{"a":{"$regex":"(*UTF)(?s)\\At.\\*a.*\\z"}}"#),
    ("a MATCHES 'x|y'", #"{"a":{"$regex":"\\A(?:x|y)\\z"}}"#),
    ("a ==[c] 'x'", #"{"a":{"$regex":"(*UTF)(?i)\\Ax\\z"}}"#),
    ("ANY tags = 'x'", #"{"tags":{"$elemMatch":{"$eq":"x"}}}"#),
    ("SOME a.b > 3", #"{"$or":[{"a.b":{"$elemMatch":{"$gt":3}}},{"a":{"$elemMatch":{"b":{"$gt":3}}}}]}"#),
    ("ALL tags > 3", #"{"$or":[{"tags":{"$allMatch":{"$gt":3}}},{"tags":{"$size":0}}]}"#),
    ("NONE tags = 3", #"{"$and":[{"tags":{"$type":"array"}},{"tags":{"$not":{"$elemMatch":{"$eq":3}}}}]}"#),
    ("NOT ALL tags > 3", #"{"tags":{"$elemMatch":{"$lte":3}}}"#),
    ("TRUEPREDICATE", "{}"),
    ("falsepredicate", #"{"_id":{"$in":[]}}"#),
    ("TRUEPREDICATE AND a = 1", #"{"a":{"$eq":1}}"#),
    ("NOT TRUEPREDICATE OR a = 1", #"{"a":{"$eq":1}}"#),
    ("a = nil", #"{"$or":[{"a":{"$exists":false}},{"a":{"$eq":null}}]}"#),
    ("NULL != a", #"{"a":{"$ne":null}}"#),
    ("a = YES && b = false", #"{"$and":[{"a":{"$eq":true}},{"b":{"$eq":false}}]}"#),
    (#"a = "it's \"\u00e9\ud83d\ude00\\\n""#, #"{"a":{"$eq":"it's \"é😀\\\n"}}"#),
    ("a = '%@ %K'", #"{"a":{"$eq":"%@ %K"}}"#),
    ("#in.between = 1", #"{"in.between":{"$eq":1}}"#),
    ("p%%.größe = 1", #"{"p%.größe":{"$eq":1}}"#),
    ("@datatype = 'Car'", #"{"@datatype":{"$eq":"Car"}}"#),
]

/// Invalid formats, with the offset and the code of the error.
private let mistakes: [(String, Int, QueryPredicateError.Code)] = [
    ("", 0, .syntax),
    ("year", 4, .syntax),
    ("year > ", 7, .syntax),
    ("year > 5 make = 3", 9, .syntax),
    ("(a = 1", 6, .syntax),
    ("a = 1)", 5, .syntax),
    ("a = 'x", 4, .syntax),
    (#"a = 'x\q'"#, 6, .syntax),
    (#"a = '\ud83d'"#, 5, .syntax),
    ("a = 007", 4, .syntax),
    ("a = 1.", 4, .syntax),
    ("a = 0x1F", 4, .syntax),
    ("a ~ 1", 2, .syntax),
    ("a = b", 4, .unsupported),
    ("1 = 1", 0, .syntax),
    ("a. = 1", 3, .syntax),
    ("a < nil", 2, .invalidValue),
    ("a BETWEEN {1}", 2, .syntax),
    ("a IN 3", 2, .syntax),
    ("a IN {1", 7, .syntax),
    ("a IN {1,}", 8, .syntax),
    ("a BEGINSWITH 3", 2, .syntax),
    ("'x' BEGINSWITH a", 4, .syntax),
    ("a CONTAINS[cd] 'x'", 10, .unsupported),
    ("a CONTAINS[x] 'x'", 10, .syntax),
    ("a <[c] 'x'", 2, .unsupported),
    ("a MATCHES '['", 2, .invalidValue),
    ("a MATCHES 'a)|(b'", 2, .invalidValue),
    ("SELF = 3", 0, .syntax),
    ("ANY 3 = a", 4, .syntax),
    ("a = %@", 4, .arguments),
    ("a = %s", 4, .syntax),
    ("ä = ", 5, .syntax),
    (String(repeating: "(", count: 10_000) + "a = 1", PredicateLimits.depthMax, .tooLarge),
    (String(repeating: " ", count: 70_000) + "a = 1", PredicateLimits.formatBytesMax, .tooLarge),
]

/// Returns the error of a format.
private func failure(of format: String, _ arguments: JSONValue...) -> QueryPredicateError? {
    do throws(QueryPredicateError) {
        _ = try PredicateFormat(format, arguments: arguments)
        return nil
    } catch {
        return error
    }
}

/// Returns whether a document matches a format.
private func matches(_ format: String, _ document: JSONValue) throws -> Bool {
    try matches(PredicateFormat(format).selector, document)
}

@Suite struct PredicateFormatTests {
    @Test("Formats become selectors", arguments: formats.indices)
    func selectors(_ index: Int) throws {
        let (format, selector) = formats[index]
        #expect(try PredicateFormat(format).description == selector, "\(format)")
        #expect(throws: Never.self) { try Selector(parsing: .object(PredicateFormat(format).selector)) }
    }

    @Test("Errors have the position of the mistake", arguments: mistakes.indices)
    func mistake(_ index: Int) throws {
        let (format, offset, code) = mistakes[index]
        let error = try #require(failure(of: format))
        #expect(error.offset == offset, "\(format.prefix(80)): \(error)")
        #expect(error.code == code, "\(format.prefix(80)): \(error)")
    }

    @Test("Arguments stand for values and fields")
    func arguments() throws {
        let format = try PredicateFormat(
            "%K = %@ AND n IN %@ AND a.%K > %d AND b < %lf", "owner.name", "it's", [1, 2], #"x\.y"#, 3, 1.5)
        #expect(
            format.description
                == #"{"$and":[{"owner.name":{"$eq":"it's"}},{"n":{"$in":[1,2]}},{"a.x\\.y":{"$gt":3}},{"b":{"$lt":1.5}}]}"#
        )
        #expect(try PredicateFormat("ANY %K = 1", "a.b").selector == PredicateFormat("ANY a.b = 1").selector)
        #expect(failure(of: "ANY a.%K = 1", "$or")?.code == .arguments)
        #expect(failure(of: "a = %@", 1, 2)?.code == .arguments)
        #expect(failure(of: "a = %d", "x")?.offset == 4)
        #expect(failure(of: "a = %f", "x")?.code == .arguments)
        #expect(failure(of: "%K = 1", 3)?.code == .arguments)
        #expect(failure(of: "%K = 1", "a..b")?.code == .arguments)
        #expect(failure(of: "%K = 1", "$or")?.code == .arguments)
    }

    @Test("Strings are matched unchanged, and case is ignored in all alphabets if requested")
    func texts() throws {
        let table: [(String, JSONValue, Bool)] = [
            (#"a CONTAINS 'a.b|c(d)[e]{f}^$*+?#-\\'"#, #"xa.b|c(d)[e]{f}^$*+?#-\y"#, true),
            ("a CONTAINS 'a.b'", "axb", false),
            ("a CONTAINS[c] 'ÄRGER'", "kein ärger", true),
            ("a ==[c] 'Ä'", "ä", true),
            ("a ==[c] 'Ä'", "ää", false),
            ("a !=[c] 'Ä'", "ö", true),
            ("a BEGINSWITH[c] 'x'", "aX", false),
            ("a ENDSWITH 'b'", "ab\n", false),
            ("a ENDSWITH[c] 'B'", "ab", true),
            ("a LIKE 'T?y*a'", "T\u{F6}yot\na", true),
            ("a LIKE 'T?y*a'", "Tyota", false),
            ("a LIKE[c] '*ÖY*'", "Töyota", true),
            (#"a LIKE '\\*x'"#, "*x", true),
            (#"a LIKE '\\*x'"#, "yx", false),
            ("a MATCHES 'b|c'", "bc", false),
            ("a MATCHES[c] 'B'", "b", true),
            ("a IN[c] {'B', 'C'}", "c", true),
        ]
        for (format, text, expected) in table {
            #expect(try matches(format, ["a": text]) == expected, "\(format) of \(text)")
        }
    }

    @Test("ANY, ALL and NONE find the array at any step of the path, also if they are negated")
    func quantifiers() throws {
        let inside: JSONValue = ["a": ["b": [1, 5]]]
        let outside: JSONValue = ["a": [["b": 1], ["b": 5]]]
        for document in [inside, outside] {
            #expect(try matches("ANY a.b > 4", document))
            #expect(try !matches("ANY a.b > 5", document))
            #expect(try matches("NOT ANY a.b > 5", document))
            #expect(try !matches("NONE a.b > 4", document))
            #expect(try matches("NOT NONE a.b > 4", document))
            #expect(try matches("ALL a.b > 0", document))
            #expect(try !matches("ALL a.b > 1", document))
            #expect(try matches("NOT (c = 1 OR ALL a.b > 1) OR NOT ALL a.b > 1", document))
            #expect(try matches("ANY a.b IN {5, 6}", document))
        }
        #expect(try matches("ALL a > 1", ["a": []]))
        #expect(try !matches("NONE a > 1", [:]))
    }

    @Test("nil is missing or null")
    func nothing() throws {
        for document: JSONValue in [[:], ["a": nil]] {
            #expect(try matches("a = nil", document))
            #expect(try !matches("a != nil", document))
            #expect(try !matches("NOT a = nil", document))
        }
        #expect(try matches("a != nil", ["a": 0]))
        #expect(try !matches("FALSEPREDICATE", ["_id": "x"]))
        #expect(try matches("NOT FALSEPREDICATE", ["_id": "x"]))
    }

    @Test("A condition with too many parts is refused, and the error names the limit")
    func tooMany() throws {
        let format = Array(repeating: "a=1", count: 12_000).joined(separator: "||")
        #expect(failure(of: format)?.code == .tooLarge)
    }
}
