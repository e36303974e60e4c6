//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
import GodwitStore

// An index has an entry for each document that matches its filter. Deleted documents and design documents have no
// entries. The key of an entry consists of one part for each field: the collation key of the value that the document
// has in this field. A missing field has a part too. Therefore, a query for only the first fields also finds documents
// that do not have the other fields.
//
// If a field contains an array, the document has a further entry for each distinct element. In this entry, the part of
// the element replaces the part of the array. With these entries, `$elemMatch`, `$all` and `$in` find arrays by their
// elements. If the array has more than ``QueryLimits/indexedElementsMax`` elements, the document has only one further
// entry. In this entry, the byte ``CollationKey/tooMany`` replaces the part of the array.
//
// In the entries of complete values, the first byte of a key is 0. In the entries of elements, the first byte is the
// number of the field. The fields are numbered from 1.

/// One entry of an index.
struct JSONIndexEntry {
    let key: [UInt8]
    /// The JSON texts of the fields' values. The list is `nil` when the texts are too long, and in entries of array
    /// elements.
    let values: [UInt8]?

    /// The first byte of the keys of complete values.
    static let wholeSpace: UInt8 = 0

    /// Returns the first byte of the keys of a field's elements.
    ///
    /// - Parameter field: The index of the field in the definition.
    static func elementSpace(_ field: Int) -> UInt8 {
        invariant((0..<QueryLimits.indexFieldsMax).contains(field), "the number of a field fits into a byte")
        return UInt8(truncatingIfNeeded: field + 1)
    }
}

extension JSONIndexDefinition {
    /// Whether a field or the filter needs members that the store adds to a document's body.
    private var needsMembersOfTheStore: Bool {
        paths.contains { $0.steps.first?.utf8.first == UInt8(ascii: "_") }
            || partialFilter?.fields.contains { $0.utf8.first == UInt8(ascii: "_") } == true
    }

    /// Returns the entries of a document; empty when the document is not in the index. Throws an error when the body is
    /// not valid JSON.
    func entries(of row: DocumentRow) throws -> [JSONIndexEntry] {
        guard !row.winner.isDeleted, !DocumentID.isStoredDesign(row.id) else { return [] }
        let text = needsMembersOfTheStore ? StoredRevision(winnerOf: row).documentText : row.body
        let tape = try JSONTape(scanning: text, limits: .stored)
        guard partialFilter?.matches(tape) != false else { return [] }
        return entries(of: tape, id: row.id)
    }

    /// Returns the entries of a document, without testing the filter.
    func entries(of tape: JSONTape, id: String) -> [JSONIndexEntry] {
        let targets = paths.map { $0.target(in: tape) }
        let parts = targets.indices.map { part(of: targets[$0], field: $0, in: tape, id: id) }
        let completeEntry = JSONIndexEntry(
            key: key(in: JSONIndexEntry.wholeSpace, parts), values: Self.values(of: targets, in: tape))
        let elementKeys = targets.indices.flatMap { field -> [[UInt8]] in
            guard case .found(let index) = targets[field], tape.kind(index) == .array else { return [] }
            return elementParts(of: index, field: field, in: tape).map { part in
                var parts = parts
                parts[field] = part
                return key(in: JSONIndexEntry.elementSpace(field), parts)
            }
        }
        return [completeEntry] + elementKeys.map { JSONIndexEntry(key: $0, values: nil) }
    }

    /// Returns the key of the complete values of a document, by which a query sorts in memory. The order of a query may
    /// have more fields than an index.
    func wholeKey(of tape: JSONTape, id: String) -> [UInt8] {
        key(
            in: JSONIndexEntry.wholeSpace,
            paths.indices.map { part(of: paths[$0].target(in: tape), field: $0, in: tape, id: id) })
    }

    /// Returns the key that starts with a first byte and continues with the parts of the fields.
    private func key(in firstByte: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
        var key = [firstByte]
        key.reserveCapacity(parts.reduce(1) { $0 + $1.count })
        for part in parts { key += part }
        return key
    }

    /// Returns a field's part of the key. A value is missing if its parent object does not have the member. A value is
    /// unreachable if the path leads through a value without members, or past the end of an array.
    private func part(of target: FieldPath.Target<Int>, field: Int, in tape: JSONTape, id: String) -> [UInt8] {
        var part: [UInt8] = []
        switch target {
        case _ where fields[field].name == "_id": CollationKey.append(id: id, to: &part)
        case .missing: part = [CollationKey.missing]
        case .unreachable: part = [CollationKey.unreachable]
        case .found(let index): CollationKey.append(tape, at: index, to: &part)
        }
        return inDirection(part, field)
    }

    private func elementParts(of array: Int, field: Int, in tape: JSONTape) -> [[UInt8]] {
        guard tape.count(of: array) <= QueryLimits.indexedElementsMax else {
            return [inDirection([CollationKey.tooMany], field)]
        }
        let parts = tape.elements(of: array).map { element -> [UInt8] in
            var part: [UInt8] = []
            CollationKey.append(tape, at: element, to: &part)
            return inDirection(part, field)
        }
        return Set(parts).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Inverts the bytes of a part if the field is descending, so that higher values sort first.
    private func inDirection(_ part: [UInt8], _ field: Int) -> [UInt8] {
        fields[field].isDescending ? part.map(~) : part
    }

    /// Concatenates the JSON texts of the values. The length of each text, in one byte, precedes it. A length of 0
    /// represents a missing or unreachable value. Returns `nil` when the texts exceed ``QueryLimits/coveredBytesMax``.
    private static func values(of targets: [FieldPath.Target<Int>], in tape: JSONTape) -> [UInt8]? {
        var values: [UInt8] = []
        for target in targets {
            guard case .found(let index) = target else {
                values.append(0)
                continue
            }
            let text = tape.slice(index)
            guard values.count + text.count < QueryLimits.coveredBytesMax else { return nil }
            values.append(UInt8(text.count))
            values += text
        }
        return values
    }
}
