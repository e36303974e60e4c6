//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSelector
import GodwitStore
import GodwitText

/// A complete index of the type `json` with its parsed definition. Plans refer to it.
final class CompleteIndex: Sendable {
    let index: IndexDescription
    let definition: JSONIndexDefinition

    init(_ index: IndexDescription, _ definition: JSONIndexDefinition) {
        self.index = index
        self.definition = definition
    }
}

/// A snapshot of a database's indexes for planning. It is cached until an index is created, deleted or completed.
///
/// The snapshot stores which index was chosen for each ``PlanShape``, so that entries are not counted for each query.
/// If a choice is bad for the values of a later query with the same shape, entries are counted for each further query
/// of this shape.
final class QueryIndexes: Sendable {
    /// The complete indexes of the type `json` that every write updates. These indexes remain complete until they are
    /// deleted.
    let json: [CompleteIndex]
    /// The indexes of the type `json` that are being built, or that this process does not maintain.
    let building: [IndexDescription]
    /// The complete indexes of the type `text`.
    let text: [IndexDescription]
    /// The complete indexes of the type `geo`.
    let geo: [IndexDescription]
    /// The incomplete indexes of these types.
    let behind: [IndexDescription]

    private enum Choice {
        case index(Int64)
        /// The best index depends on the values of the arguments.
        case varying
    }

    private let choices = Mutex<[PlanShape: Choice]>([:])

    private init(_ indexes: [IndexDescription], in datastore: Datastore) throws {
        let indexes = indexes.filter { index in
            QueryIndex.Kind(rawValue: index.kind) != nil
                && (index.kind != TextIndex.kindName || TextIndex.isCurrent(index))
        }
        behind = indexes.filter { $0.state == .behind }
        let json = indexes.filter { $0.kind == JSONIndex.kindName }
        let isUsable = { (index: IndexDescription) in index.state == .complete && datastore.followsWrites(index) }
        building = json.filter { !isUsable($0) }
        self.json = try json.filter(isUsable).map { CompleteIndex($0, try JSONIndex.definition(of: $0)) }
        geo = indexes.filter { $0.kind == QueryIndex.Kind.geo.rawValue && $0.state == .complete }
        text = indexes.filter { $0.kind == TextIndex.kindName && $0.state == .complete }
    }

    /// Returns the current snapshot of a datastore's indexes.
    static func current(in datastore: Datastore) throws -> QueryIndexes {
        let list = try datastore.indexList()
        return try list.kept { try QueryIndexes(list.indexes, in: datastore) }
    }

    /// Returns the number of the index that was chosen for a shape; 0 if the choice was to read documents by their ids.
    /// Returns `nil` when no choice is stored, or when the choice was discarded by ``distrust(_:)``.
    func choice(for shape: PlanShape) -> Int64? {
        guard case .index(let number) = choices.withLock({ $0[shape] }) else { return nil }
        return number
    }

    /// Stores a choice, if no choice for the shape was stored or discarded before.
    func choose(_ number: Int64, for shape: PlanShape) {
        choices.withLock { choices in
            guard choices[shape] == nil else { return }
            if choices.count >= QueryLimits.choicesRememberedMax { choices.removeAll() }
            choices[shape] = .index(number)
            invariant(choices.count <= QueryLimits.choicesRememberedMax, "the table of choices keeps its limit")
        }
    }

    /// Discards the choice for a shape. From now on, entries are counted for each query of this shape.
    func distrust(_ shape: PlanShape) { choices.withLock { $0[shape] = .varying } }
}

/// The shape of a query: two queries that differ only in the values of their arguments have the same shape.
struct PlanShape: Hashable, Sendable {
    /// The selector without the values of its arguments.
    let selector: [UInt8]
    /// The indexes among which one is chosen.
    let indexNumbers: [Int64]
}
