//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension MediaType {
    /// Returns the offer that an `Accept` header prefers (RFC 9110, section 12.5.1).
    ///
    /// The quality of an offer is the quality of the most specific range that matches the offer. If several offers have
    /// the greatest quality, the first of them is preferred. Malformed elements of the header are ignored. Of the
    /// parameters of a range, only `q` is used.
    ///
    /// - Parameters:
    ///   - accept: The header; `nil` when the request has none.
    ///   - offers: Media types without parameters, in the order of preference.
    /// - Returns: The preferred offer; `nil` when the header accepts no offer. If the header is missing or has no valid
    ///   range, the first offer is preferred.
    package static func preferred(accept: String?, of offers: [String]) -> String? {
        let ranges = Array((accept ?? "").utf8)[...].splitOutsideQuotes(at: .comma).compactMap { MediaType($0) }
        if ranges.isEmpty { return offers.first }
        var preferred: (offer: String, quality: Double)?
        for offer in offers {
            guard let type = MediaType(offer) else { continue }
            let quality = type.quality(in: ranges)
            if quality > preferred?.quality ?? 0 { preferred = (offer, quality) }
        }
        return preferred?.offer
    }

    /// Returns the quality of this offer: 0 when no range matches it.
    private func quality(in ranges: [MediaType]) -> Double {
        let matchingRanges = ranges.filter { $0.matches(self) }
        let mostSpecific = matchingRanges.map(\.specificity).max()
        return matchingRanges.filter { $0.specificity == mostSpecific }.map(\.quality).max() ?? 0
    }

    /// Whether this range includes an offer.
    private func matches(_ offer: MediaType) -> Bool {
        (type == "*" || type.utf8.elementsEqual(offer.type.utf8))
            && (subtype == "*" || subtype.utf8.elementsEqual(offer.subtype.utf8))
    }

    /// The number of names in this range that are not `*`.
    private var specificity: Int { (type == "*" ? 0 : 1) + (subtype == "*" ? 0 : 1) }

    /// The weight of a range, from 0 to 1. It is 1 if the range has no parameter `q`, and 0 if `q` is not a number.
    private var quality: Double {
        guard let text = self[parameter: "q"] else { return 1 }
        guard let weight = Double(text), weight.isFinite else { return 0 }
        return min(max(weight, 0), 1)
    }
}
