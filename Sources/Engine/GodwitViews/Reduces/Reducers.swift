//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Reduces the rows of a view.
enum Reducer: Sendable {
    /// The view has no reduce function.
    case none
    case builtIn(any BuiltInReduce)
    case script(ScriptReduce)

    init(_ view: ViewGroup.View, _ program: ScriptProgram, scripts: ScriptEngine) throws(ViewError) {
        guard let reduce = view.reduce else {
            self = .none
            return
        }
        guard reduce.trimmed.begins(with: "_") else {
            self = .script(ScriptReduce(scripts: scripts, program: program, view: view.name))
            return
        }
        guard let builtIn = BuiltInReduces.named(reduce) else {
            throw ViewError(
                .invalidValue, error: "invalid_design_doc", reason: BuiltInReduces.refusal(of: reduce))
        }
        self = .builtIn(builtIn)
    }

    /// Returns the reductions of several ranges of rows. If the reduction of a part of a range failed, the result for
    /// the range is the same failed reduction. Throws ``ScriptError`` when a JavaScript function fails.
    func reduce(_ collections: [RowCollection]) async throws -> [[UInt8]] {
        guard case .script(let function) = self else { return collections.map { $0.reduction ?? [] } }
        var inputs: [ScriptReduce.Input] = []
        for case .rows(let rows) in collections.lazy.flatMap(\.pieces) { inputs.append(.rows(rows)) }
        var reductionsOfRows = try await function.reduce(inputs).makeIterator()
        var results = [[UInt8]](repeating: Array("null".utf8), count: collections.count)
        var rereductions: [(index: Int, input: ScriptReduce.Input)] = []
        for (index, collection) in collections.enumerated() {
            let parts = collection.pieces.map { piece in
                if case .reduced(let reduction) = piece { reduction } else { reductionsOfRows.next() ?? [] }
            }
            if let failure = parts.first(where: { Reduction.failure(in: $0) != nil }) {
                results[index] = failure
            } else if parts.count == 1 {
                results[index] = parts[0]
            } else if !parts.isEmpty {
                rereductions.append((index, .reductions(parts)))
            }
        }
        for (result, (index, _)) in zip(try await function.reduce(rereductions.map(\.input)), rereductions) {
            results[index] = result
        }
        return results
    }

    /// Returns the value in a query's result for a reduction. Throws the error of a failed reduction.
    func result(_ reduction: [UInt8]) throws -> [UInt8] {
        if let failure = Reduction.failure(in: reduction) { throw failure }
        guard case .builtIn(var function) = self else { return reduction }
        try function.add(reduction: reduction)
        return function.result
    }

    /// Returns a collector of rows to reduce.
    ///
    /// - Parameter readMax: The number of rows and spans after which the collector stops.
    func collector(readMax: Int = .max) -> RowCollector {
        switch self {
        case .none: RowCollector(kind: .count, readMax: readMax)
        case .builtIn(let function): RowCollector(kind: .builtIn(function), readMax: readMax)
        case .script: RowCollector(kind: .pieces, readMax: readMax)
        }
    }
}

/// Encodes failed reductions. A reduction is JSON or the bytes of a built-in function. A failed reduction consists of a
/// marker, the name of the error and its reason. A failed reduction is stored like any other reduction. Therefore, the
/// rows of a view can be read even if its reduce function fails.
enum Reduction {
    /// The first bytes of a failed reduction. Neither JSON nor the bytes of a built-in function begin with these bytes.
    private static let marker: [UInt8] = [0xFF, UInt8(ascii: "!")]

    static func failure(_ error: ViewError) -> [UInt8] { marker + Array("\(error.error)\n\(error.reason)".utf8) }

    static func failure(in reduction: [UInt8]) -> ViewError? {
        guard reduction.starts(with: marker) else { return nil }
        let lines = reduction.dropFirst(marker.count).split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        let texts = lines.map { String(decoding: $0, as: UTF8.self) }
        let error = texts.first ?? ""
        let code = error == "invalid_value" ? ViewError.Code.invalidValue : .reduceOverflow
        return ViewError(code, error: error, reason: texts.count > 1 ? texts[1] : "")
    }
}

/// The reducers of a group's views.
struct Reducers: Sendable {
    let ofViews: [Reducer]

    init(_ group: ViewGroup, _ program: ScriptProgram, scripts: ScriptEngine) throws(ViewError) {
        ofViews = try group.views.map { view throws(ViewError) in try Reducer(view, program, scripts: scripts) }
    }
}
