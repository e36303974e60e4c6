//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Bodies with the boundary `b`, and their contents.
enum Bodies {
    /// Bodies that are read completely, with their parts.
    static let good: [(String, [Part])] = [
        ("--b--", []),
        ("--b--\r\nepilogue\r\n--b\r\n\r\n", []),
        ("--b--anything", []),
        ("--b\r\n\r\nx\r\n--b--", [Part([], "x")]),
        ("\r\n--b\r\n\r\nx\r\n--b--\r\n", [Part([], "x")]),
        ("preamble\r\n--bb\r\n --b\r\n--b\r\n\r\nx\r\n--b--", [Part([], "x")]),
        ("--bx\r\n--b\r\n\r\nx\r\n--b--", [Part([], "x")]),
        ("-\r\n--b\r\n\r\nx\r\n--b--", [Part([], "x")]),
        (
            "--b\r\nA: 1\r\nb:2 \r\nA:\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b--",
            [Part(["A: 1", "b: 2", "A: "], "x"), Part([], "y")]
        ),
        ("--b\nA: 1\nB: 2\r\n\nx\r\n--b--", [Part(["A: 1", "B: 2"], "x")]),
        ("--b\r\nA: 1\r\n  2\r\n\t3\r\n\r\nx\r\n--b--", [Part(["A: 1 2 3"], "x")]),
        ("--b\r\nA: é: €\r\n\r\n\r\n--b--", [Part(["A: é: €"])]),
        ("--b\r\n\r\n--b\r\n\r\n\r\n--b\r\nA: 1\r\n\r\n--b--", [Part(), Part(), Part(["A: 1"])]),
        ("--b\r\n\r\n\r\n\r\n--b--", [Part([], "\r\n")]),
        ("--b \t \r\n\r\nx\r\n--b\t\r\n\r\ny\r\n--b-- ", [Part([], "x"), Part([], "y")]),
        ("--b\r\n\r\nx\n--b--\r--b--\r\n-b--\r\n--B--\r\n--b--", [Part([], "x\n--b--\r--b--\r\n-b--\r\n--B--")]),
        ("--b\r\n\r\n\r\r\n\r\n--b-\r\n--b-x\r\n--b \rx\r\n--b--", [Part([], "\r\r\n\r\n--b-\r\n--b-x\r\n--b \rx")]),
        ("--b\r\n\r\n--b-\r\n--c\r\n--b--", [Part([], "--b-\r\n--c")]),
        ("--b\r\n\r\n\r\n--\r\n--b--", [Part([], "\r\n--")]),
        (
            "--b\r\n\r\n\r\n--b" + spaces(257) + "\r\n--b" + spaces(256) + "\r\n\r\n\r\n--b--",
            [Part([], "\r\n--b" + spaces(257)), Part()]
        ),
    ]

    /// Bodies that are refused, with the code of the error.
    static let bad: [(String, String)] = [
        ("", "incomplete"), ("--", "incomplete"), ("--b", "incomplete"), ("--b-", "incomplete"),
        ("--b\r\n", "incomplete"),
        ("preamble", "incomplete"), (" --b--", "incomplete"), ("x\n--b--", "incomplete"), ("--c--", "incomplete"),
        ("--b\r\nA: 1", "incomplete"), ("--b\r\nA: 1\r\n\r\n", "incomplete"), ("--b\r\n\r\nx\r\n--b", "incomplete"),
        ("--b\r\n\r\nx\r\n--b-", "incomplete"), ("--b\r\n\r\nx\n--b--", "incomplete"),
        ("--b\r\nA\r\n\r\nx\r\n--b--", "malformedHeader"), ("--b\r\n: 1\r\n\r\nx\r\n--b--", "malformedHeader"),
        ("--b\r\nA : 1\r\n\r\nx\r\n--b--", "malformedHeader"), ("--b\r\n A: 1\r\n\r\nx\r\n--b--", "malformedHeader"),
        ("--b\r\nA: 1\r2\r\n\r\nx\r\n--b--", "malformedHeader"), ("--b\r\nA: \0\r\n\r\n\r\n--b--", "malformedHeader"),
        ("--b\r\n--b--", "incomplete"), ("--b\r\nA: 1\r\n--b--\r\n", "malformedHeader"),
    ]

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
