//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension MediaType {
    /// Returns the offer that an `Accept` header prefers (RFC 9110, section 12.5.1).
    ///
    /// The quality of an offer is that of the most specific range that matches it. If several offers have the greatest
    /// quality, the first of them is preferred. Malformed elements of the header are ignored. Parameters of a range
    /// other than `q` are not compared.
    ///
    /// - Parameters:
    ///   - accept: The header; `nil` when the request has none.
    ///   - offers: Media types without parameters, in the order of preference.
    /// - Returns: The preferred offer. The first offer when the header has no valid range; `nil` when the header
    ///   accepts no offer.
    package static func preferred(accept: String?, of offers: [String]) -> String? {
        let ranges = Array((accept ?? "").utf8)[...].splitOutsideQuotes(at: .comma).compactMap { MediaType($0) }
        if ranges.isEmpty { return offers.first }
        var best: (offer: String, quality: Double)?
        for offer in offers {
            guard let type = MediaType(offer) else { continue }
            let quality = type.quality(in: ranges)
            if quality > best?.quality ?? 0 { best = (offer, quality) }
        }
        return best?.offer
    }

    private func quality(in ranges: [MediaType]) -> Double {
        let covering = ranges.filter { $0.covers(self) }
        let mostSpecific = covering.map(\.specificity).max()
        return covering.filter { $0.specificity == mostSpecific }.map(\.quality).max() ?? 0
    }

    private func covers(_ other: MediaType) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }

    private var specificity: Int { (type == "*" ? 0 : 1) + (subtype == "*" ? 0 : 1) }

    /// The weight of a range, from 0 to 1; 0 when `q` is not a number.
    private var quality: Double {
        guard let text = self[parameter: "q"] else { return 1 }
        guard let weight = Double(text), weight.isFinite else { return 0 }
        return min(max(weight, 0), 1)
    }
}
