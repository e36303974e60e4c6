//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension String {
    /// The text on one line, in a form that no mail program turns into a link.
    ///
    /// A space follows each period, colon, slash, backslash and `@`, unless it is at the end of a word. An e-mail
    /// address without slashes remains unchanged. Control characters, line breaks and marks that change the direction
    /// of text become spaces.
    var withoutLinks: String {
        if MailAddress(self) != nil, !utf8.contains(UInt8(ascii: "/")) { return self }
        var result = String.UnicodeScalarView()
        var joinsWords = false
        for scalar in unicodeScalars {
            let isSpace = scalar.properties.isWhitespace || scalar.changesLines
            if joinsWords, !isSpace { result.append(" ") }
            result.append(isSpace ? " " : scalar)
            joinsWords = scalar.joinsWordsOfLinks
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, a line break, or a mark that changes the direction of text.
    fileprivate var changesLines: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }

    /// Whether a link can have the scalar between two words. The periods and signs of East Asian scripts are included,
    /// because browsers treat them as the ASCII characters.
    fileprivate var joinsWordsOfLinks: Bool {
        switch self {
        case ".", ":", "/", "\\", "@", "\u{3002}", "\u{FF0E}", "\u{FF0F}", "\u{FF1A}", "\u{FF20}", "\u{FF61}": true
        default: false
        }
    }
}
