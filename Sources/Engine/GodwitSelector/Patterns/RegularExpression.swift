//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A compiled pattern of `$regex`.
///
/// Patterns and texts are bytes, as in CouchDB, which calls Erlang's `re` without its option `unicode`: `.` matches one
/// byte, and `(?i)` applies to ASCII letters. A pattern may begin with `(*UTF)`.
struct RegularExpression: Sendable {
    /// The maximum length of a pattern.
    static let patternBytesMax = 32_768

    private let matcher: any PatternMatcher

    /// Compiles a pattern: with PCRE2 if it is linked, otherwise as a ``LinearPattern``.
    ///
    /// - Throws: ``PatternError`` if the pattern is invalid, too long, or not supported.
    init(_ pattern: String) throws(PatternError) {
        #if SystemLibraries
            matcher = try BacktrackingPattern(pattern)
        #else
            matcher = try LinearPattern(pattern)
        #endif
    }

    /// Whether the pattern matches anywhere in a text.
    ///
    /// - Parameter meter: Counts the work. When it stops the work, the result is `false`.
    func matches(_ text: UnsafeRawBufferPointer, _ meter: WorkMeter?) -> Bool { matcher.matches(text, meter) }
}

/// Searches texts for a pattern.
protocol PatternMatcher: Sendable {
    /// Compiles a pattern.
    init(_ pattern: String) throws(PatternError)

    /// Whether the pattern matches anywhere in a text.
    ///
    /// - Parameter meter: Counts the work. When it stops the work, the result is `false`.
    func matches(_ text: UnsafeRawBufferPointer, _ meter: WorkMeter?) -> Bool
}
