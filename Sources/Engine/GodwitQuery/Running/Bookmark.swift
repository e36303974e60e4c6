//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// The position at which a query continues: after the last document that it returned.
///
/// A bookmark contains a position in the index, not a number of documents. Therefore, documents that are created or
/// deleted before the position do not shift the next page.
struct Bookmark: Sendable {
    /// The hash of the query; see ``PreparedQuery/fingerprint``.
    let fingerprint: UInt64
    /// The indexes of the plan, so that the next page uses the same plan.
    let indexNumbers: [Int64]
    let sortsInMemory: Bool
    let position: QueryPosition
    /// The encoded bookmark.
    let text: String

    private static let version: UInt8 = 1

    init(_ plan: QueryPlan, at position: QueryPosition) {
        // The reader of a bookmark refuses other numbers.
        invariant((1...QueryLimits.branchesMax).contains(plan.accesses.count), "a bookmark has the indexes of a plan")
        invariant(plan.accesses.indices.contains(position.access), "a position is in an access path of its plan")
        fingerprint = plan.prepared.fingerprint
        indexNumbers = plan.indexNumbers
        sortsInMemory = plan.sortsInMemory
        self.position = position
        var writer = ByteWriter()
        writer.append(raw: Self.version)
        writer.append(raw: withUnsafeBytes(of: fingerprint.bigEndian) { Array($0) })
        writer.append(raw: sortsInMemory ? 1 : 0)
        writer.append(indexNumbers.count)
        for number in indexNumbers { writer.append(Int(number)) }
        writer.append(position.access)
        writer.append(run: position.key)
        writer.append(run: position.id)
        text = Base64URL.encode(writer.bytes)
    }

    /// Returns the bookmark of a query; `nil` for the first page.
    static func asked(by prepared: PreparedQuery) throws(QueryError) -> Bookmark? {
        guard let text = prepared.query.bookmark, !text.isEmpty, text != "nil" else { return nil }
        return try Bookmark(text, for: prepared)
    }

    /// Decodes a bookmark.
    ///
    /// - Throws: ``QueryError`` when the text is not a bookmark of this query.
    init(_ text: String, for prepared: PreparedQuery) throws(QueryError) {
        guard let parts = Self.parts(of: text), parts.fingerprint == prepared.fingerprint else {
            throw QueryError.invalidBookmark(text)
        }
        self.text = text
        (fingerprint, sortsInMemory, indexNumbers, position) = parts
    }

    private typealias Parts = (fingerprint: UInt64, sortsInMemory: Bool, indexNumbers: [Int64], position: QueryPosition)

    private static func parts(of text: String) -> Parts? {
        guard text.utf8.count <= QueryLimits.bookmarkBytesMax, let bytes = Base64URL.decode(text) else { return nil }
        return try? bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            guard try reader.byte() == version else { return nil }
            let fingerprint = try (0..<8).reduce(into: UInt64(0)) { value, _ in
                value = value << 8 | UInt64(try reader.byte())
            }
            let sortsInMemory = try reader.byte() == 1
            let count = try reader.number()
            guard (1...QueryLimits.branchesMax).contains(count) else { return nil }
            let numbers = try (0..<count).map { _ in Int64(try reader.number()) }
            let access = try reader.number()
            let key = Array(try reader.run())
            let id = Array(try reader.run())
            guard access < count, reader.isAtEnd else { return nil }
            return (fingerprint, sortsInMemory, numbers, QueryPosition(access: access, key: key, id: id))
        }
    }
}

/// A position in the results of a plan, directly after a document.
struct QueryPosition: Hashable, Sendable {
    /// The index of the access path in the plan.
    var access: Int
    /// The key of an entry of an index, the encoded position of a hit of a text or geospatial index, or the sort key of
    /// a document sorted in memory. It is empty for documents that are read by their ids.
    var key: [UInt8]
    /// The stored id of the document in UTF-8, or the byte 1 for a hit of a text index; empty before the first
    /// document.
    var id: [UInt8]

    static let start = QueryPosition(access: 0, key: [], id: [])

    /// The id as a string.
    var storedID: String { String(decoding: id, as: UTF8.self) }
}
