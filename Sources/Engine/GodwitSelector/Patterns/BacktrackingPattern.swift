//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SystemLibraries
    import CSelector
    import GodwitBase

    /// A pattern that PCRE2 compiles. If a search reaches a limit, the pattern does not match.
    final class BacktrackingPattern: PatternMatcher, @unchecked Sendable {
        // PCRE2's compiled code and limits are immutable after their creation. Each search has separate data.
        private let compiled: OpaquePointer

        /// The maximum number of matching steps in one search: about 10 ms of work. A search that exceeds it does not
        /// match.
        static let matchLimit: UInt32 = 1_000_000
        /// The limits on the matching steps of the first attempts. PCRE2 does not report the cost of a search. Therefore, a
        /// search begins with a small limit, and is repeated with the next limit if it exceeds the limit. The limit that
        /// suffices is an estimate of the cost, within a factor of about 32.
        private static let matchLimitsOfTries: [UInt32] = [1_000, 32_000]
        /// The maximum nesting of backtracking in one search.
        static let depthLimit: UInt32 = 250_000
        /// The maximum memory for backtracking in one search.
        static let heapKibibytesMax: UInt32 = 20_000

        init(_ pattern: String) throws(PatternError) {
            let limits = godwit_pcre2_limits(depth_limit: Self.depthLimit, heap_kibibytes: Self.heapKibibytesMax)
            var pattern = pattern
            let compiled = pattern.withUTF8 {
                godwit_pcre2_compile($0.baseAddress, $0.count, RegularExpression.patternBytesMax, limits)
            }
            guard let compiled else { throw .invalid }
            self.compiled = compiled
        }

        deinit {
            godwit_pcre2_free(compiled)
        }

        func matches(_ text: UnsafeRawBufferPointer, _ meter: WorkMeter?) -> Bool {
            guard let meter else { return search(text, matchLimit: Self.matchLimit) == GODWIT_PCRE2_MATCH }
            for limit in Self.matchLimitsOfTries {
                // An attempt costs its matching steps and one pass over the text.
                guard meter.spend(Int(limit) / 8 + text.count / 16) else { return false }
                let result = search(text, matchLimit: limit)
                if result != GODWIT_PCRE2_LIMIT { return result == GODWIT_PCRE2_MATCH }
            }
            // The last attempt has the largest limit that the meter permits.
            let lastLimit = UInt32(clamping: min(Int(Self.matchLimit), meter.operationStepsMax))
            guard meter.spend(Int(lastLimit)) else { return false }
            return search(text, matchLimit: lastLimit) == GODWIT_PCRE2_MATCH
        }

        private func search(_ text: UnsafeRawBufferPointer, matchLimit: UInt32) -> godwit_pcre2_result {
            godwit_pcre2_search(
                compiled, text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count, matchLimit)
        }
    }
#endif
