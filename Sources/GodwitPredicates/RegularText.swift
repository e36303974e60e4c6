//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Regular expressions of PCRE2 that stand for plain text.
enum RegularText {
    /// A text that matches itself.
    static func escaped(_ text: String) -> String {
        var pattern = ""
        for scalar in text.unicodeScalars { append(scalar, to: &pattern) }
        return pattern
    }

    /// A pattern that ignores the case of all alphabets, between anchors.
    static func ignoringCase(before: String, _ pattern: String, after: String) -> String {
        "(*UTF)(?i)" + before + pattern + after
    }

    /// The pattern of a text with the wildcards `*` and `?`; after a backslash these are themselves.
    static func wildcard(_ text: String, ignoresCase: Bool) -> String {
        var pattern = ignoresCase ? #"(*UTF)(?is)\A"# : #"(*UTF)(?s)\A"#
        var isEscaped = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "*" where !isEscaped: pattern += ".*"
            case "?" where !isEscaped: pattern += "."
            default:
                if isEscaped, scalar != "*", scalar != "?", scalar != "\\" { pattern += #"\\"# }
                append(scalar, to: &pattern)
            }
            isEscaped = false
        }
        return pattern + (isEscaped ? #"\\"# : "") + #"\z"#
    }

    private static func append(_ scalar: Unicode.Scalar, to pattern: inout String) {
        if scalar == "\0" {
            pattern += #"\x00"#
            return
        }
        if #"\^$.[]|()?*+{}#-"#.unicodeScalars.contains(scalar) { pattern += #"\"# }
        pattern.unicodeScalars.append(scalar)
    }
}
