//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension MediaType {
    /// The offer that an `Accept` header prefers (RFC 9110, section 12.5.1).
    ///
    /// The most specific range that covers an offer gives its quality. Of offers of one quality the first wins.
    /// Elements of the header that cannot be read are passed over; parameters of a range other than `q` are not
    /// compared.
    ///
    /// - Parameters:
    ///   - accept: The header; `nil` when there was none.
    ///   - offers: Media types without parameters, the one liked best first.
    /// - Returns: One of the offers, or `nil` when none of them is acceptable. The first, when the header names
    ///   nothing.
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

    /// The weight of a range, between 0 and 1; one that is no number weighs nothing.
    private var quality: Double {
        guard let text = self[parameter: "q"] else { return 1 }
        guard let weight = Double(text), weight.isFinite else { return 0 }
        return min(max(weight, 0), 1)
    }
}
