//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// One range of bytes of a `Range` header (RFC 9110, section 14.1.2).
enum ByteRange {
    /// The range that is asked for.
    ///
    /// - Returns: `nil` when the whole is to be sent: there is no header, it is malformed, or it names several ranges.
    /// - Throws: ``HTTPFailure`` with status 416 when the range lies beyond the end.
    static func requested(_ header: String?, length: Int) throws(HTTPFailure) -> Range<Int>? {
        guard let header, header.hasPrefix("bytes=") else { return nil }
        let sides = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        switch (Int(sides[0]), Int(sides[1])) {
        case (let first?, let last?):
            guard first <= last else { return nil }
            guard first < length else { throw unsatisfiable(length) }
            return first..<min(last, length - 1) + 1
        case (let first?, nil):
            guard sides[1].isEmpty else { return nil }
            guard first < length else { throw unsatisfiable(length) }
            return first..<length
        case (nil, let count?):
            guard sides[0].isEmpty else { return nil }
            guard count > 0, length > 0 else { throw unsatisfiable(length) }
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
