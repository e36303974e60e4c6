//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// The parsed path and query of a request.
///
/// A database may have the name `a/b`, which is `a%2Fb` in a path. Therefore the path is split at slashes first, and
/// each segment is decoded afterwards. As in CouchDB, `_design%2Fname` and `_local%2Fname` after the database's name
/// mean the same as `_design/name` and `_local/name`.
public struct RequestTarget: Sendable {
    /// The decoded segments of the path.
    public let segments: [String]

    /// The decoded names and values of the query, in order.
    public let query: [(name: String, value: String)]

    /// Parses a request's target.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when a percent escape or its UTF-8 is malformed.
    init(_ text: String) throws(HTTPFailure) {
        // The text is split by bytes. To split it by characters would take more time than all other steps together.
        let queryStart = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        var segments: [String] = []
        for piece in text.utf8[..<queryStart].split(separator: UInt8(ascii: "/")).map(Substring.init) {
            let segment = try RequestTarget.decode(piece)
            if segments.count == 1, let slash = RequestTarget.prefixEnd(of: segment) {
                segments += [String(segment[..<slash]), String(segment[segment.utf8.index(after: slash)...])]
            } else {
                segments.append(segment)
            }
        }
        self.segments = segments
        query = queryStart < text.endIndex ? try RequestTarget.query(text[text.utf8.index(after: queryStart)...]) : []
    }

    /// Parses a form (`application/x-www-form-urlencoded`). The names and values of its fields become the query.
    /// Invalid UTF-8 outside of percent escapes is repaired.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when a percent escape or its UTF-8 is malformed.
    public init(form bytes: [UInt8]) throws(HTTPFailure) {
        try self.init("?" + String(decoding: bytes, as: UTF8.self))
    }

    private static func prefixEnd(of segment: String) -> String.Index? {
        guard segment.utf8.starts(with: "_design/".utf8) || segment.utf8.starts(with: "_local/".utf8) else {
            return nil
        }
        return segment.utf8.firstIndex(of: UInt8(ascii: "/"))
    }

    private static func query(_ text: Substring) throws(HTTPFailure) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        // As in CouchDB, a semicolon separates parameters, too.
        for item in text.utf8.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }) {
            let nameAndValue = item.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
            ).map(Substring.init)
            let name = try decode(nameAndValue[0])
            let value = nameAndValue.count > 1 ? try decode(nameAndValue[1]) : ""
            items.append((name, value))
        }
        return items
    }

    /// Decodes percent escapes, and `+` as a space. As in CouchDB, this also applies to paths.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when a percent escape or its UTF-8 is malformed.
    static func decode(_ text: Substring) throws(HTTPFailure) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            guard !text.hasTooManyMarks else { throw .tooManyMarks }
            return String(text)
        }
        guard let bytes = [UInt8](percentEncoded: text.utf8, plusIsSpace: true) else {
            throw .badRequest("the URL has an invalid percent escape")
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw .badRequest("the URL is not valid UTF-8")
        }
        guard !decoded.hasTooManyMarks else { throw .tooManyMarks }
        return decoded
    }
}
