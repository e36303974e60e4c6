//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitSelector

extension ViewQuery {
    /// Returns the ranges of index entries that the query reads, in the order in which it reads them.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of all visible entries.
    ///   - collation: The view's collation.
    ///   - reduces: Whether rows are reduced. If they are, a query with ``keys`` returns groups in the order of the
    ///     keys, even if the query is descending.
    /// - Throws: ``ViewError`` when the parameters contradict each other, a key cannot be encoded or the keys need too
    ///   much work.
    func ranges(
        prefix: [UInt8], collation: ViewGroup.Collation, reduces: Bool
    ) throws(ViewError) -> [EntryRange] {
        let isBounded = key != nil || startKey != nil || endKey != nil
        if let keys, keys.count > 1, isBounded {
            throw .invalidQuery("`keys` is incompatible with `key`, `start_key` and `end_key`")
        }
        // As in CouchDB, if `keys` contains a single key, it can be combined with `startKey` or `endKey`. The single
        // key is the other end of the range. If `key` is also set, the single key has no effect.
        let singleKey = keys?.count == 1 && isBounded ? keys?.first : nil
        if let keys, singleKey == nil {
            var ranges: [EntryRange] = []
            let meter = WorkMeter()
            for key in keys {
                // Each key costs work, because it is serialized and scanned.
                guard meter?.spend(readingBytes: 0) != false else {
                    throw .invalidQuery("The keys need too much work. Send fewer keys in each query.")
                }
                ranges.append(try range(key, prefix, collation))
            }
            return descending && !reduces ? ranges.reversed() : ranges
        }
        if let key { return [try range(key, prefix, collation)] }
        let allRows = EntryRange(prefix: prefix)
        let start = try (startKey ?? singleKey).map { key throws(ViewError) in try bytes(key, prefix, collation) }
        let end = try (endKey ?? singleKey).map { key throws(ViewError) in try bytes(key, prefix, collation) }
        let range =
            descending
            ? EntryRange(
                lower: end.map(lowerBoundAtEndKey) ?? allRows.lower,
                upper: start.map { boundAfterRows($0, startKeyDocumentID) } ?? allRows.upper)
            : EntryRange(
                lower: start.map { $0 + (startKeyDocumentID.map { Array($0.utf8) } ?? []) } ?? allRows.lower,
                upper: end.map(upperBoundAtEndKey) ?? allRows.upper)
        if let start, let end, start != end, start.lexicographicallyPrecedes(end) == descending {
            throw .invalidQuery(
                "No rows can match your key range, reverse your start_key and end_key or set descending="
                    + (descending ? "false" : "true"))
        }
        return [range]
    }

    private func range(
        _ key: JSONValue, _ prefix: [UInt8], _ collation: ViewGroup.Collation
    ) throws(ViewError) -> EntryRange {
        let bytes = try bytes(key, prefix, collation)
        let allRows = EntryRange(prefix: bytes)
        guard startKeyDocumentID != nil || endKeyDocumentID != nil else { return allRows }
        // Rows with this key are restricted to the documents from `startKeyDocumentID` to `endKeyDocumentID`.
        let (hasStart, hasEnd) = (startKeyDocumentID != nil, endKeyDocumentID != nil)
        return descending
            ? EntryRange(
                lower: hasEnd ? lowerBoundAtEndKey(bytes) : allRows.lower,
                upper: hasStart ? boundAfterRows(bytes, startKeyDocumentID) : allRows.upper)
            : EntryRange(
                lower: bytes + (startKeyDocumentID.map { Array($0.utf8) } ?? []),
                upper: hasEnd ? upperBoundAtEndKey(bytes) : allRows.upper)
    }

    private func bytes(
        _ key: JSONValue, _ prefix: [UInt8], _ collation: ViewGroup.Collation
    ) throws(ViewError) -> [UInt8] {
        do {
            var bytes = prefix
            collation.append(try JSONTape(scanning: key.jsonBytes()), at: 0, to: &bytes)
            return bytes
        } catch {
            throw .invalidQuery("A key cannot be read: \(error)")
        }
    }

    /// Returns the bytes that sort after all rows with a key. If a document is given, returns bytes that sort after the
    /// rows with this key that belong to this document or to an earlier document.
    ///
    /// - Parameter key: The prefix of the entries with this key.
    private func boundAfterRows(_ key: [UInt8], _ document: String?) -> [UInt8] {
        guard let document else { return CollationKey.end(ofPrefix: key) }
        // The ordinal of a document's row starts with the byte 0x00, so 0x01 sorts after all rows of the document.
        return key + Array(document.utf8) + [0x01]
    }

    /// Returns the upper bound of an ascending query that ends with a key.
    private func upperBoundAtEndKey(_ key: [UInt8]) -> [UInt8] {
        inclusiveEnd ? boundAfterRows(key, endKeyDocumentID) : key + (endKeyDocumentID.map { Array($0.utf8) } ?? [])
    }

    /// Returns the lower bound of a descending query that ends with a key.
    private func lowerBoundAtEndKey(_ key: [UInt8]) -> [UInt8] {
        inclusiveEnd ? key + (endKeyDocumentID.map { Array($0.utf8) } ?? []) : boundAfterRows(key, endKeyDocumentID)
    }
}
