//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitSQLite

extension Database {
    /// Who brings a complete index along with each write; `nil` for one that falls behind with the next.
    func follower(of index: IndexDescription) -> (any IndexMaintainer)? {
        guard let kind = kinds[index.kind] as? any IndexMaintainer, kind.followsWrites, kind.isCurrent(index) else {
            return nil
        }
        return kind
    }

    /// Builds every index that is behind and whose kind is known here, but those that could not be built lately.
    ///
    /// - Parameter isOpening: Whether the database was just opened: then what functions keep is left until it is asked for.
    func catchUpIndexes(isOpening: Bool = false) async throws {
        let numbers = try read { connection in
            guard try DocumentTable(connection, scope: .all).has(.indexes) else { return [Int64]() }
            return try IndexTable(connection).all().filter { index in
                index.state == .behind && !(isOpening && kinds[index.kind] is any OutsideMaintainer)
            }.map(\.number)
        }
        // One that cannot be built must not keep the next from it.
        for number in numbers where !builds.hasFailed(number) { try? await catchUpIndex(number) }
    }

    /// Builds an index, also one that could not be built lately.
    func catchUpIndex(_ number: Int64) async throws {
        do {
            try await bringUp(number)
            builds.note(number, hasFailed: false)
        } catch {
            builds.note(number, hasFailed: !(error is CancellationError))
            throw error
        }
    }

    private func bringUp(_ number: Int64) async throws {
        let index = try read { try IndexTable($0).index(number) }
        guard let index else { return }
        switch kinds[index.kind] {
        case let kind as any OutsideMaintainer: try await catchUp(index, by: kind)
        case let kind as any IndexMaintainer:
            try await builds.take(number) { [self] in
                while try await bringUpBySlices(number, factor: kind.sliceFactor) == .unsettled {
                    try await (kind as? any SettlingMaintainer)?.settle(index, in: IndexedDatabase(database: self))
                }
            }
        default: break
        }
    }

    /// - Returns: What is left to do; never that the index is behind.
    private func bringUpBySlices(_ number: Int64, factor: Int) async throws -> CatchUpStep {
        var pace = CatchUpPace(factor: factor)
        while true {
            let factor = pace.factor
            let step = try await write { try $0.catchUpIndex(number, factor: factor) }
            guard case .behind(let changes) = step else { return step }
            pace.note(changes)
            try Task.checkCancellation()
        }
    }
}

/// What is left to do after a slice of a build.
private enum CatchUpStep: Equatable {
    /// Nothing: the index is complete, gone, or cannot be brought on here.
    case done
    /// It is behind by so many changes.
    case behind(Int64)
    /// It has all documents, and something of it waits to be put in order.
    case unsettled
}

extension WriteTransaction {
    /// Brings an index on by one slice.
    ///
    /// - Parameter factor: How many times the usual a slice may take.
    fileprivate func catchUpIndex(_ number: Int64, factor: Int) throws -> CatchUpStep {
        let table = IndexTable(connection)
        guard var index = try table.index(number), index.state == .behind,
            let maintainer = group.database.kinds[index.kind] as? any IndexMaintainer
        else { return .done }
        let state = group.memo.state
        let purged = try table.purged(after: index.sequence == 0 ? state.purges : index.purges, upTo: state.purges)
        if !purged.isComplete {
            // More was purged than is remembered: only a new index is sure to be right.
            try maintainer.remove(index, on: connection)
            try maintainer.create(index, on: connection)
            index.sequence = 0
        }
        let slice = try documents.changes(
            after: index.sequence, detail: .bodies, rowsMax: limits.indexedPerCommit * factor,
            bytesMax: limits.sliceBytesMax * factor)
        let changes = slice.rows.map { IndexChange.changed($0, storedID: $0.id) }
        try maintainer.apply((purged.isComplete ? purged.changes : []) + changes, to: index, on: connection)
        index.purges = state.purges
        index.sequence = slice.hasMore ? slice.rows.last!.sequence : state.sequence
        let isSettled = try (maintainer as? any SettlingMaintainer)?.isSettled(index, on: connection) ?? true
        index.state = slice.hasMore || !isSettled ? .behind : .complete
        try table.update(index)
        if index.state == .complete { group.memo.changesIndexes = true }
        if slice.hasMore { return .behind(state.sequence - index.sequence) }
        return isSettled ? .done : .unsettled
    }
}

/// How much a build takes at once: more when writers add changes as fast as it follows them, or it would never end.
struct CatchUpPace {
    /// Slices after which it is seen whether the build comes nearer.
    private static let slicesPerLook = 8
    /// The most that a slice takes, in times the usual.
    private static let factorMax = 32

    private(set) var factor: Int
    private var slices = 0
    private var behindThen = Int64.max

    init(factor: Int = 1) { self.factor = factor }

    mutating func note(_ behind: Int64) {
        slices += 1
        guard slices.isMultiple(of: Self.slicesPerLook) else { return }
        if behind >= behindThen { factor = min(factor * 2, Self.factorMax) }
        behindThen = behind
    }
}
