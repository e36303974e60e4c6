//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore

// An index has one entry for each document that matches its filter. The entry's key concatenates the keys of the
// document's values for all fields. A missing field has a key too, so that a query for the first fields finds documents
// without the others. If a field contains an array, the document has one more entry for each distinct element, with the
// element's key instead of the array's key. With these entries, `$elemMatch`, `$all` and `$in` find arrays by their
// elements. An array that is longer than ``QueryLimits/indexedElementsMax`` has one such entry, with a special key. The
// first byte of a key separates the entries of complete values from the entries of each field's elements.

/// One entry of an index.
struct JSONIndexEntry {
    let key: [UInt8]
    /// The JSON texts of the fields' values; `nil` when they are too long, and for elements.
    let values: [UInt8]?

    /// The first byte of the keys of complete values.
    static let wholeSpace: UInt8 = 0

    /// Returns the first byte of the keys of a field's elements.
    static func elementSpace(_ field: Int) -> UInt8 { UInt8(field + 1) }
}

extension JSONIndexDefinition {
    /// Whether a field or the filter needs members that the store adds to a document's body.
    private var needsMembersOfTheStore: Bool {
        paths.contains { $0.steps.first?.utf8.first == UInt8(ascii: "_") }
            || partialFilter?.fields.contains { $0.utf8.first == UInt8(ascii: "_") } == true
    }

    /// Returns the entries of a document; empty when the document is not in the index.
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
        let whole = JSONIndexEntry(
            key: key(in: JSONIndexEntry.wholeSpace, parts), values: Self.values(of: targets, in: tape))
        let elements = targets.indices.flatMap { field -> [[UInt8]] in
            guard case .found(let index) = targets[field], tape.kind(index) == .array else { return [] }
            return elementParts(of: index, field: field, in: tape).map { part in
                var parts = parts
                parts[field] = part
                return key(in: JSONIndexEntry.elementSpace(field), parts)
            }
        }
        return [whole] + elements.map { JSONIndexEntry(key: $0, values: nil) }
    }

    private func key(in space: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
        var key = [space]
        key.reserveCapacity(parts.reduce(1) { $0 + $1.count })
        for part in parts { key += part }
        return key
    }

    /// Returns a field's part of the key.
    private func part(of target: FieldPath.Target<Int>, field: Int, in tape: JSONTape, id: String) -> [UInt8] {
        var part: [UInt8] = []
        switch target {
        case _ where fields[field].name == "_id": CollationKey.append(id: id, to: &part)
        case .missing: part = [CollationKey.missing]
        case .unreachable: part = [CollationKey.unreachable]
        case .found(let index): CollationKey.append(tape, at: index, to: &part)
        }
        return directed(part, field)
    }

    private func elementParts(of array: Int, field: Int, in tape: JSONTape) -> [[UInt8]] {
        guard tape.count(of: array) <= QueryLimits.indexedElementsMax else {
            return [directed([CollationKey.tooMany], field)]
        }
        let parts = tape.elements(of: array).map { element -> [UInt8] in
            var part: [UInt8] = []
            CollationKey.append(tape, at: element, to: &part)
            return directed(part, field)
        }
        return Set(parts).sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func directed(_ part: [UInt8], _ field: Int) -> [UInt8] {
        fields[field].isDescending ? part.map(~) : part
    }

    /// Concatenates the texts of the values. One byte with the length precedes each; 0 represents a missing value.
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
