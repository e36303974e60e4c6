//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A stretch of rows on its way to be reduced.
struct RowCollection: Sendable {
    /// How many rows it has.
    var count = 0
    /// What a built-in function made of it; `nil` for a function in JavaScript.
    var reduction: [UInt8]?
    /// What a function in JavaScript is to reduce.
    var pieces: [SpanPiece] = []
}

/// Part of a stretch of rows.
enum SpanPiece: Sendable {
    case rows([StoredRow])
    /// What rows came to before.
    case reduced([UInt8])
}

/// Gathers a stretch: a built-in function reduces as it reads, for one in JavaScript rows and reductions are kept.
struct RowCollector: SpanVisitor {
    enum Kind {
        case count
        case builtIn(any BuiltInReduce)
        case pieces
    }

    private var kind: Kind
    private let readMax: Int
    /// Rows and spans that were read.
    private(set) var read = 0
    private var count = 0
    private var pieces: [SpanPiece] = []
    /// What stands for rows that could not be reduced.
    private var failure: [UInt8]?

    init(kind: Kind, readMax: Int) {
        self.kind = kind
        self.readMax = readMax
    }

    var isDone: Bool { read >= readMax }

    /// What was gathered.
    var stretch: RowCollection {
        switch kind {
        case .count: RowCollection(count: count)
        case .builtIn(let function): RowCollection(count: count, reduction: failure ?? function.reduction)
        case .pieces: RowCollection(count: count, pieces: pieces)
        }
    }

    func takes(spanOf count: Int) -> Bool { true }

    mutating func take(count: Int, reduction: [UInt8]) throws {
        guard count > 0 else { return }
        self.count += count
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
        var rows = 0
        switch kind {
        case .count: rows = try tree.countRows(range)
        case .pieces:
            let found = try tree.rows(range)
            rows = found.count
            if rows > 0 { pieces.append(.rows(found)) }
        case .builtIn:
            try reduce { rows = try $0.add(rows: range, from: tree) }
            if failure != nil { rows = try tree.countRows(range) }
        }
        count += rows
        read += rows
    }

    /// Lets the built-in function go on. What it cannot reduce becomes the stretch's failure.
    private mutating func reduce(_ body: (inout any BuiltInReduce) throws -> Void) throws {
        guard case .builtIn(var function) = kind, failure == nil else { return }
        // Held once only, so that nothing is copied when it changes.
        kind = .count
        defer { kind = .builtIn(function) }
        do {
            try body(&function)
        } catch let error as ViewError {
            failure = Reduction.failure(error)
        }
    }
}
