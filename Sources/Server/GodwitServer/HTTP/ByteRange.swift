//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import HTTPTypes

/// Parses `Range` headers (RFC 9110, section 14.1.2).
enum ByteRange {
    /// Returns the requested ranges, in the order of the header.
    ///
    /// - Returns: `nil` when all bytes are to be sent. This is the case when the header is missing or malformed, has
    ///   another unit than bytes, names more than ``ServerLimits/rangesMax`` ranges, or one of them is `0-`. As in
    ///   CouchDB, such a range is answered with all bytes and status 200.
    /// - Throws: ``HTTPFailure`` with status 416 when each of the ranges is empty or begins after the last byte.
    static func requested(_ header: String?, length: Int) throws(HTTPFailure) -> [Range<Int>]? {
        guard let header, header.begins(with: "bytes=") else { return nil }
        let items = header.dropFirst(6).pieces(at: ",", omittingEmptySubsequences: false)
        guard items.count <= ServerLimits.rangesMax else { return nil }
        var ranges: [Range<Int>] = []
        for item in items {
            let item = item.filter { $0 != " " }
            guard item != "0-", let range = range(item, length: length) else { return nil }
            if !range.isEmpty { ranges.append(range) }
        }
        guard !ranges.isEmpty else { throw unsatisfiable(length) }
        return ranges
    }

    /// Parses one range.
    ///
    /// - Returns: The range. The range is empty in two cases: its end precedes its beginning, or it begins after the
    ///   last byte. `nil` when the item is malformed.
    private static func range(_ item: String, length: Int) -> Range<Int>? {
        let bounds = item.pieces(at: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return nil }
        switch (Int(bounds[0]), Int(bounds[1])) {
        case (let first?, let last?):
            return first <= last && first < length ? first..<min(last, length - 1) + 1 : 0..<0
        case (let first?, nil):
            guard bounds[1].isEmpty else { return nil }
            return first < length ? first..<length : 0..<0
        case (nil, let count?):
            guard bounds[0].isEmpty else { return nil }
            return max(0, length - count)..<length
        default: return nil
        }
    }

    private static func unsatisfiable(_ length: Int) -> HTTPFailure {
        var failure = HTTPFailure(
            .rangeNotSatisfiable, "requested_range_not_satisfiable", "Requested range not satisfiable")
        failure.headers[.contentRange] = "bytes */\(length)"
        return failure
    }
}

extension HTTPField.Name {
    static let contentMD5 = HTTPField.Name("Content-MD5")!
}
