//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSelector
import GodwitStore

/// An access path of a query: a method to find its documents.
enum AccessPath: Sendable {
    /// By their ids.
    case documents(DocumentsAccess)
    /// By an index of the type `json`.
    case json(JSONAccess)
    /// By an index of the type `text`, the best match first.
    indirect case text(TextAccess)
    /// By an index of the type `geo`, the nearest first.
    indirect case geo(GeoAccess)

    /// Whether every document that the access path finds matches the selector.
    var isExact: Bool {
        switch self {
        case .documents: false
        case .json(let access): access.isExact
        case .text(let access): access.isExact
        case .geo(let access): access.isExact
        }
    }

    /// Whether the access path reads all documents or all entries.
    var readsEverything: Bool {
        switch self {
        case .documents(let access): access.readsEverything
        case .json(let access): access.restrictedFields == 0
        case .text(let access): access.findsAll && access.within == nil
        case .geo: false
        }
    }

    var isText: Bool { if case .text = self { true } else { false } }

    /// The index that the access path reads; `nil` for documents by their ids.
    var index: IndexDescription? {
        switch self {
        case .documents: nil
        case .json(let access): access.index
        case .text(let access): access.index
        case .geo(let access): access.index
        }
    }

    /// The number of ``index``; 0 for documents by their ids.
    var indexNumber: Int64 {
        switch self {
        case .documents: 0
        case .json(let access): access.index.number
        case .text(let access): access.index.number
        case .geo(let access): access.index.number
        }
    }
}

/// An access path that finds documents by ranges of ids, in bytewise order.
struct DocumentsAccess: Sendable {
    /// The ranges, ascending and disjoint.
    let ranges: [IDRange]
    let readsEverything: Bool
    var isBackward = false

    private static let all = [IDRange()]

    init(_ conditions: [IDCondition]) {
        guard !conditions.isEmpty else {
            (ranges, readsEverything) = (Self.all, true)
            return
        }
        readsEverything = false
        let points = conditions.compactMap(\.points)
        if let first = points.first {
            // Only the first conditions determine the ranges. Further conditions are tested when the document is read.
            ranges = Set(first.map(ExactText.init)).sorted().map { IDRange(lower: $0.text, upper: $0.text) }
        } else {
            ranges = [conditions.reduce(into: IDRange()) { $1.narrow(&$0) }]
        }
    }
}

extension IDCondition {
    fileprivate func narrow(_ range: inout IDRange) {
        switch self {
        case .above(let id, let isIncluded): Self.raiseLowerBound(&range, to: id, isIncluded)
        case .below(let id, let isIncluded): Self.reduceUpperBound(&range, to: id, isIncluded)
        case .beginning(let prefix):
            Self.raiseLowerBound(&range, to: prefix, true)
            if let end = prefix.endOfPrefix { Self.reduceUpperBound(&range, to: end, false) }
        case .equal, .among: break
        }
    }

    /// Raises the lower bound to an id if the bound is lower.
    private static func raiseLowerBound(_ range: inout IDRange, to id: String, _ isIncluded: Bool) {
        guard let lower = range.lower, ExactText(id) <= ExactText(lower) else {
            (range.lower, range.lowerIsIncluded) = (id, isIncluded)
            return
        }
        if ExactText(id) == ExactText(lower), !isIncluded { range.lowerIsIncluded = false }
    }

    /// Lowers the upper bound to an id if the bound is higher.
    private static func reduceUpperBound(_ range: inout IDRange, to id: String, _ isIncluded: Bool) {
        guard let upper = range.upper, ExactText(upper) <= ExactText(id) else {
            (range.upper, range.upperIsIncluded) = (id, isIncluded)
            return
        }
        if ExactText(id) == ExactText(upper), !isIncluded { range.upperIsIncluded = false }
    }
}

extension String {
    /// The smallest string that sorts after all strings with this prefix; `nil` when no such string exists.
    fileprivate var endOfPrefix: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            var end = String.UnicodeScalarView(scalars)
            end.append(scalar)
            return String(end)
        }
        return nil
    }
}
