//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSelector
import GodwitStore
import GodwitText
import GodwitThreads

/// An index of the type `json` that has all documents, and what it is made of. Plans refer to it.
final class CompleteIndex: Sendable {
    let index: IndexDescription
    let definition: JSONIndexDefinition

    init(_ index: IndexDescription, _ definition: JSONIndexDefinition) {
        self.index = index
        self.definition = definition
    }
}

/// What planning needs of a database's indexes, kept until one of them comes, goes or is complete.
///
/// It remembers which index was chosen for a shape of query, so that entries are counted once and not for each query. A
/// choice that turns out bad for other values of the same shape is counted for from then on.
final class QueryIndexes: Sendable {
    /// The complete ones of the type `json`. They stay complete until they go.
    let json: [CompleteIndex]
    /// Those of the type `json` that are being built, or that nobody keeps here.
    let building: [IndexDescription]
    /// The complete ones of the type `text`.
    let text: [IndexDescription]
    /// The complete ones of the type `geo`.
    let geo: [IndexDescription]
    /// Those of these types that are not complete.
    let behind: [IndexDescription]

    private enum Choice {
        case index(Int64)
        /// Which is best depends on the values.
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
        let isKept = { (index: IndexDescription) in index.state == .complete && datastore.keepsWithWrites(index) }
        building = json.filter { !isKept($0) }
        self.json = try json.filter(isKept).map { CompleteIndex($0, try JSONIndex.definition(of: $0)) }
        geo = indexes.filter { $0.kind == QueryIndex.Kind.geo.rawValue && $0.state == .complete }
        text = indexes.filter { $0.kind == TextIndex.kindName && $0.state == .complete }
    }

    /// Those of a datastore as they are now.
    static func current(in datastore: Datastore) throws -> QueryIndexes {
        let list = try datastore.indexList()
        return try list.kept { try QueryIndexes(list.indexes, in: datastore) }
    }

    /// The number of the index that was chosen for a shape, 0 for documents by their ids.
    func choice(for shape: PlanShape) -> Int64? {
        guard case .index(let number) = choices.withLock({ $0[shape] }) else { return nil }
        return number
    }

    /// Remembers a choice.
    func choose(_ number: Int64, for shape: PlanShape) {
        choices.withLock { choices in
            guard choices[shape] == nil else { return }
            if choices.count >= QueryLimits.choicesRememberedMax { choices.removeAll() }
            choices[shape] = .index(number)
        }
    }

    /// Counts anew for a shape from now on.
    func distrust(_ shape: PlanShape) { choices.withLock { $0[shape] = .varying } }
}

/// What queries have in common that differ in the values that they ask for.
struct PlanShape: Hashable, Sendable {
    /// The selector without its arguments.
    let selector: [UInt8]
    /// The indexes among which it is chosen.
    let indexNumbers: [Int64]
}
