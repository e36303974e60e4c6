//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitStore

/// The position at which a search continues: after the last hit of the previous page.
struct SearchBookmark: Sendable {
    /// The hash of the search; see ``SearchRequest/fingerprint(_:)``.
    let fingerprint: UInt64
    /// The position, if hits are ordered by relevance. If they have another order, the position contains the statistics
    /// for their scores.
    let position: TextPosition
    /// The key and the stored id of the last hit, if hits are not ordered by relevance.
    let sorted: SortPosition

    private static let version: UInt8 = 1

    /// The encoded bookmark.
    var text: String {
        var writer = ByteWriter()
        writer.append(raw: Self.version)
        writer.append(raw: withUnsafeBytes(of: fingerprint.bigEndian) { Array($0) })
        writer.append(run: position.bytes)
        writer.append(run: sorted.key)
        writer.append(run: sorted.id)
        return Data(writer.bytes).base64EncodedString().replacingBytes("+", with: "-").replacingBytes("/", with: "_")
            .replacingBytes("=", with: "")
    }

    init(fingerprint: UInt64, position: TextPosition, sorted: SortPosition) {
        (self.fingerprint, self.position, self.sorted) = (fingerprint, position, sorted)
    }

    /// Decodes a bookmark.
    ///
    /// - Throws: ``TextError`` when the text is not a bookmark of a search with this fingerprint.
    init(_ text: String, for fingerprint: UInt64) throws {
        guard let parts = try? Self.parts(of: text), parts.fingerprint == fingerprint else {
            throw TextError.invalidBookmark(text)
        }
        self = parts
    }

    private static func parts(of text: String) throws -> SearchBookmark? {
        let plain = text.replacingBytes("-", with: "+").replacingBytes("_", with: "/")
        let padded = plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        guard text.utf8.count <= TextLimits.bookmarkBytesMax, let data = Data(base64Encoded: padded) else {
            return nil
        }
        return try Array(data).withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            guard try reader.byte() == version else { return nil }
            let fingerprint = try (0..<8).reduce(into: UInt64(0)) { value, _ in
                value = value << 8 | UInt64(try reader.byte())
            }
            let position = try TextPosition(bytes: Array(reader.run()))
            let sorted = SortPosition(key: Array(try reader.run()), id: Array(try reader.run()))
            guard reader.isAtEnd else { return nil }
            return SearchBookmark(fingerprint: fingerprint, position: position, sorted: sorted)
        }
    }
}

/// A position among hits ordered by fields: the sort key and the stored id of a document. Both are empty at the start.
struct SortPosition: Sendable, Equatable {
    var key: [UInt8] = []
    var id: [UInt8] = []

    func precedes(_ other: SortPosition) -> Bool {
        if key == other.key { return id.lexicographicallyPrecedes(other.id) }
        return key.lexicographicallyPrecedes(other.key)
    }
}

extension TextPosition {
    /// Creates the position before all hits of the search that a page belongs to.
    init(before page: TextPage) {
        self.init(
            sequence: page.sequence, statistics: page.statistics, score: .greatestFiniteMagnitude, number: 0)
    }
}
