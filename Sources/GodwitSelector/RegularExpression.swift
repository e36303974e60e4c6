//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPCRE2
import GodwitThreads

/// A compiled pattern.
///
/// Patterns and texts are bytes, as in CouchDB, which calls Erlang's `re` without its option `unicode`: `.` stands for
/// one byte, and `(?i)` knows the letters of ASCII. A pattern may begin with `(*UTF)`. A search that reaches a limit is
/// no match.
final class RegularExpression: @unchecked Sendable {
    // PCRE2's compiled code and limits never change once they are made; each search has data of its own.
    private let compiled: OpaquePointer

    /// How often the matcher may be entered in one search: about 10 ms of work. Beyond, there is no match.
    static let matchLimit: UInt32 = 1_000_000
    /// The limits of the first tries. PCRE2 does not say what a search cost: a search that passes a limit is repeated with
    /// the next one, so that the limit it stayed below is its cost, at most 32 times too high.
    private static let matchLimitsOfTries: [UInt32] = [1_000, 32_000]
    /// How deep backtracking may nest in one search.
    static let depthLimit: UInt32 = 250_000
    /// How much memory backtracking may take in one search.
    static let heapKibibytesMax: UInt32 = 20_000
    /// How long a pattern may be.
    static let patternBytesMax = 32_768

    /// Compiles a pattern.
    ///
    /// - Returns: `nil` when it is invalid or too long.
    init?(_ pattern: String) {
        let limits = godwit_pcre2_limits(depth_limit: Self.depthLimit, heap_kibibytes: Self.heapKibibytesMax)
        var pattern = pattern
        let compiled = pattern.withUTF8 {
            godwit_pcre2_compile($0.baseAddress, $0.count, Self.patternBytesMax, limits)
        }
        guard let compiled else { return nil }
        self.compiled = compiled
    }

    deinit {
        godwit_pcre2_free(compiled)
    }

    /// Whether the pattern matches anywhere in a text.
    ///
    /// - Parameter meter: Counts the work.
    func matches(_ text: UnsafeRawBufferPointer, _ meter: WorkMeter?) -> Bool {
        guard let meter else { return search(text, matchLimit: Self.matchLimit) == GODWIT_PCRE2_MATCH }
        for limit in Self.matchLimitsOfTries {
            // What a try costs beside its matches: a look at the text.
            guard meter.spend(Int(limit) / 8 + text.count / 16) else { return false }
            let result = search(text, matchLimit: limit)
            if result != GODWIT_PCRE2_LIMIT { return result == GODWIT_PCRE2_MATCH }
        }
        let left = UInt32(clamping: min(Int(Self.matchLimit), meter.operationStepsMax))
        guard meter.spend(Int(left)) else { return false }
        return search(text, matchLimit: left) == GODWIT_PCRE2_MATCH
    }

    private func search(_ text: UnsafeRawBufferPointer, matchLimit: UInt32) -> godwit_pcre2_result {
        godwit_pcre2_search(
            compiled, text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count, matchLimit)
    }
}
