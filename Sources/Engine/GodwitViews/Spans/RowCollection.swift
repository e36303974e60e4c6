//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A range of rows to reduce.
struct RowCollection: Sendable {
    /// The number of rows.
    var count = 0
    /// The reduction by a built-in function; `nil` for a JavaScript function.
    var reduction: [UInt8]?
    /// The input for a JavaScript function.
    var pieces: [SpanPiece] = []
}

/// A part of a range of rows.
enum SpanPiece: Sendable {
    case rows([StoredRow])
    /// An earlier reduction of rows.
    case reduced([UInt8])
}

/// Collects a range of rows. A built-in function reduces the rows immediately. For a JavaScript function, the rows and
/// the reductions of spans are collected.
struct RowCollector: SpanVisitor {
    enum Kind {
        case count
        case builtIn(any BuiltInReduce)
        case pieces
    }

    private var kind: Kind
    private let readMax: Int
    /// The number of rows and spans that were read.
    private(set) var read = 0
    private var count = 0
    private var pieces: [SpanPiece] = []
    /// The encoded error of rows that could not be reduced.
    private var failure: [UInt8]?

    init(kind: Kind, readMax: Int) {
        self.kind = kind
        self.readMax = readMax
    }

    var isDone: Bool { read >= readMax }

    /// The collected range.
    var stretch: RowCollection {
        switch kind {
        case .count: RowCollection(count: count)
        case .builtIn(let function): RowCollection(count: count, reduction: failure ?? function.reduction)
        case .pieces: RowCollection(count: count, pieces: pieces)
        }
    }

    func takes(spanOf count: Int) -> Bool { true }

    mutating func take(count: Int, reduction: [UInt8]) throws {
        invariant(count >= 0, "a span has no fewer than zero rows")
        guard count > 0 else { return }
        self.count = self.count.addingSaturated(count)
        read += 1
        switch kind {
        case .count: break
        case .pieces: pieces.append(.reduced(reduction))
        case .builtIn:
            if Reduction.failure(in: reduction) != nil { failure = failure ?? reduction }
            try reduce { try $0.add(reduction: reduction) }
        }
    }

    mutating func take(rows range: EntryRange, from tree: SpanTree) throws {
        var rowCount = 0
        switch kind {
        case .count: rowCount = try tree.countRows(range)
        case .pieces:
            let storedRows = try tree.rows(range)
            rowCount = storedRows.count
            if rowCount > 0 { pieces.append(.rows(storedRows)) }
        case .builtIn:
            try reduce { rowCount = try $0.add(rows: range, from: tree) }
            if failure != nil { rowCount = try tree.countRows(range) }
        }
        count = count.addingSaturated(rowCount)
        read += rowCount
    }

    /// Passes input to the built-in function. If the input cannot be reduced, stores the error as the failure of the
    /// range.
    private mutating func reduce(_ body: (inout any BuiltInReduce) throws -> Void) throws {
        guard case .builtIn(var function) = kind, failure == nil else { return }
        // The function is moved out of the property. There is then only one reference to the function, so a change does
        // not copy it.
        kind = .count
        defer { kind = .builtIn(function) }
        do {
            try body(&function)
        } catch let error as ViewError {
            failure = Reduction.failure(error)
        }
    }
}
