//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Builds PCRE2 patterns that match plain text.
enum RegularText {
    /// Returns a pattern that matches a text literally.
    static func escaped(_ text: String) -> String {
        var pattern = ""
        for scalar in text.unicodeScalars { append(scalar, to: &pattern) }
        return pattern
    }

    /// Returns a pattern that ignores the case of all alphabets. It consists of the text `before`, the given pattern
    /// and the text `after`; the texts may be empty.
    static func ignoringCase(before: String, _ pattern: String, after: String) -> String {
        "(*UTF)(?i)" + before + pattern + after
    }

    /// Returns the pattern of a text with the wildcards `*` and `?`. A backslash makes a following wildcard or
    /// backslash literal; any other backslash is literal itself.
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
