//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitThreads

extension ViewQuery {
    /// Returns the ranges of entries of the query, in its direction.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of all visible entries.
    ///   - collation: The view's collation.
    ///   - reduces: Whether rows are reduced. With ``keys``, groups are in the order of the keys, in both directions.
    func ranges(
        prefix: [UInt8], collation: ViewGroup.Collation, reduces: Bool
    ) throws(ViewError) -> [EntryRange] {
        let isBounded = key != nil || startKey != nil || endKey != nil
        if let keys, keys.count > 1, isBounded {
            throw .invalidQuery("`keys` is incompatible with `key`, `start_key` and `end_key`")
        }
        // As in CouchDB, a single key in `keys` is the start and the end of a range, unless another parameter specifies
        // them.
        let only = keys?.count == 1 && isBounded ? keys?.first : nil
        if let keys, only == nil {
            var ranges: [EntryRange] = []
            let meter = WorkMeter()
            for key in keys {
                // Each key is serialized and scanned.
                guard meter?.spend(readingBytes: 0) != false else {
                    throw .invalidQuery("The keys need too much work. Send fewer keys in each query.")
                }
                ranges.append(try range(key, prefix, collation))
            }
            return descending && !reduces ? ranges.reversed() : ranges
        }
        if let key { return [try range(key, prefix, collation)] }
        let whole = EntryRange(prefix: prefix)
        let start = try (startKey ?? only).map { key throws(ViewError) in try bytes(key, prefix, collation) }
        let end = try (endKey ?? only).map { key throws(ViewError) in try bytes(key, prefix, collation) }
        let range =
            descending
            ? EntryRange(
                lower: end.map(lowerEnd) ?? whole.lower,
                upper: start.map { behind($0, startKeyDocumentID) } ?? whole.upper)
            : EntryRange(
                lower: start.map { $0 + (startKeyDocumentID.map { Array($0.utf8) } ?? []) } ?? whole.lower,
                upper: end.map(upperEnd) ?? whole.upper)
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
        let whole = EntryRange(prefix: bytes)
        guard startKeyDocumentID != nil || endKeyDocumentID != nil else { return whole }
        // Among rows with this key, those of some documents.
        let (start, end) = (startKeyDocumentID != nil, endKeyDocumentID != nil)
        return descending
            ? EntryRange(
                lower: end ? lowerEnd(bytes) : whole.lower,
                upper: start ? behind(bytes, startKeyDocumentID) : whole.upper)
            : EntryRange(
                lower: bytes + (startKeyDocumentID.map { Array($0.utf8) } ?? []),
                upper: end ? upperEnd(bytes) : whole.upper)
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

    /// Returns the position after all rows with a key, or after those up to a document.
    private func behind(_ key: [UInt8], _ document: String?) -> [UInt8] {
        guard let document else { return CollationKey.end(ofPrefix: key) }
        // The ordinal of a document's row starts with a zero byte.
        return key + Array(document.utf8) + [0x01]
    }

    private func upperEnd(_ key: [UInt8]) -> [UInt8] {
        inclusiveEnd ? behind(key, endKeyDocumentID) : key + (endKeyDocumentID.map { Array($0.utf8) } ?? [])
    }

    private func lowerEnd(_ key: [UInt8]) -> [UInt8] {
        inclusiveEnd ? key + (endKeyDocumentID.map { Array($0.utf8) } ?? []) : behind(key, endKeyDocumentID)
    }
}
