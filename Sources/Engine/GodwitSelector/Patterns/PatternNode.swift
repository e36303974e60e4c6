//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A part of a pattern. Only whether a text matches is asked, so groups and the greed of repetitions have no meaning.
indirect enum PatternNode: Sendable {
    /// Matches the empty text.
    case empty
    /// Matches one byte of a set. No byte is in the empty set.
    case byte(ByteSet)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// Repeats a part; `max` is `nil` for any number.
    case repetition(PatternNode, min: Int, max: Int?)
}

extension PatternNode {
    /// Whether this part adds nothing to a program.
    private var isEmpty: Bool { if case .empty = self { true } else { false } }

    /// The parts in a row. Empty parts are left out, so that the work of compiling a pattern follows the size of its program.
    static func joined(_ parts: [PatternNode]) -> PatternNode {
        let parts = parts.filter { !$0.isEmpty }
        return parts.isEmpty ? .empty : parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// A part that is repeated. A repetition of nothing, and one of no times, is empty.
    static func repeated(_ part: PatternNode, min: Int, max: Int?) -> PatternNode {
        part.isEmpty || max == 0 ? .empty : .repetition(part, min: min, max: max)
    }
}

/// A condition on a position of the text. It matches no byte.
enum PatternAssertion: Sendable, Hashable {
    /// `\A`, `\G`, and `^`.
    case textStart
    /// `^` of several lines: the start, and after each newline that is not the last byte.
    case lineStart
    /// `\z`.
    case textEnd
    /// `\Z` and `$`: the end, and before a newline that is the last byte.
    case lastLineEnd
    /// `$` of several lines: the end, and before each newline.
    case lineEnd
    /// `\b`: between an ASCII letter, digit or underscore and another byte, or the text's start or end.
    case wordBoundary
    /// `\B`.
    case noWordBoundary
    /// Before, and after, an ASCII letter, digit or underscore: parts of `[[:<:]]` and `[[:>:]]`.
    case beforeWord
    case afterWord
}

/// The reason why a pattern cannot be compiled.
enum PatternError: Error, Equatable {
    /// The pattern is not valid, in PCRE2 either.
    case invalid
    /// The pattern is valid in PCRE2, but it contains what needs backtracking or tables that this matcher does not have.
    case unsupported(String)
    /// The pattern has more parts than ``PatternProgram/instructionsMax``.
    case tooLarge
}
