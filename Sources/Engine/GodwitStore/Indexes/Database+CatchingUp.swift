//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

extension Database {
    /// The maintainer that updates a complete index in each write; `nil` if the index is updated only before its use,
    /// if its kind is not registered, or if its kind says that the index is not current.
    func follower(of index: IndexDescription) -> (any IndexMaintainer)? {
        guard let kind = kinds[index.kind] as? any IndexMaintainer, kind.followsWrites, kind.isCurrent(index) else {
            return nil
        }
        return kind
    }

    /// Builds every index that lacks changes and whose kind is registered. Skips indexes whose last build failed, and
    /// ignores the errors of builds.
    ///
    /// - Parameter isOpening: Whether the database was just opened. If `true`, indexes that are built by functions are
    ///   skipped. They are built on demand.
    func catchUpIndexes(isOpening: Bool = false) async throws {
        let numbers = try read { connection in
            guard try DocumentTable(connection, scope: .all).has(.indexes) else { return [Int64]() }
            return try IndexTable(connection).all().filter { index in
                index.state == .behind && !(isOpening && kinds[index.kind] is any PrecomputingIndexKind)
            }.map(\.number)
        }
        // A failed build must not prevent the next build.
        for number in numbers where !builds.hasFailed(number) { try? await catchUpIndex(number) }
    }

    /// Builds an index, even if its last build failed.
    func catchUpIndex(_ number: Int64) async throws {
        do {
            try await buildIndex(number)
            builds.note(number, hasFailed: false)
        } catch {
            builds.note(number, hasFailed: !(error is CancellationError))
            throw error
        }
    }

    private func buildIndex(_ number: Int64) async throws {
        let index = try read { try IndexTable($0).index(number) }
        guard let index else { return }
        switch kinds[index.kind] {
        case let kind as any PrecomputingIndexKind: try await catchUp(index, by: kind)
        case let kind as any IndexMaintainer:
            try await builds.take(index, at: { hub.current }) { [self] in
                while try await buildBySlices(number, factor: kind.sliceFactor) == .unsettled {
                    try await (kind as? any FinishingMaintainer)?.settle(index, in: IndexedDatabase(database: self))
                }
            }
        default: break
        }
    }

    /// - Returns: The remaining work: `done` or `unsettled`.
    private func buildBySlices(_ number: Int64, factor: Int) async throws -> CatchUpStep {
        var sliceSize = CatchUpSliceSize(factor: factor)
        while true {
            let factor = sliceSize.factor
            let step = try await write { try $0.catchUpIndex(number, factor: factor) }
            guard case .behind(let changes) = step else { return step }
            sliceSize.note(changes)
            try Task.checkCancellation()
        }
    }
}

/// The remaining work after a slice of a build.
private enum CatchUpStep: Equatable {
    /// No work remains: the index is complete, was removed, or cannot be built here.
    case done
    /// The number of changes that the index does not contain yet.
    case behind(Int64)
    /// The index contains all documents, but its kind must still perform the final step.
    case unsettled
}

extension WriteTransaction {
    /// Updates an index by one slice.
    ///
    /// - Parameter factor: The size of the slice, as a multiple of the usual size.
    fileprivate func catchUpIndex(_ number: Int64, factor: Int) throws -> CatchUpStep {
        invariant(factor > 0, "a slice has room for a change")
        let table = IndexTable(connection)
        guard var index = try table.index(number), index.state == .behind,
            let maintainer = group.database.kinds[index.kind] as? any IndexMaintainer
        else { return .done }
        let state = group.memory.state
        let purged = try table.purged(after: index.sequence == 0 ? state.purges : index.purges, upTo: state.purges)
        if !purged.isComplete {
            // The database no longer remembers all purges that the index has not applied yet. Therefore, the index is
            // rebuilt from the beginning.
            try maintainer.remove(index, on: connection)
            try maintainer.create(index, on: connection)
            index.sequence = 0
        }
        let slice = try documents.changes(
            after: index.sequence, detail: .bodies, rowsMax: limits.indexedPerCommit * factor,
            bytesMax: limits.sliceBytesMax * factor)
        invariant(
            slice.rows.first.map { $0.sequence > index.sequence } ?? true,
            "a slice begins after the last indexed change")
        invariant(index.sequence <= state.sequence, "an index knows no change after the last one")
        let changes = slice.rows.map { IndexChange.changed($0, storedID: $0.id) }
        try maintainer.apply((purged.isComplete ? purged.changes : []) + changes, to: index, on: connection)
        index.purges = state.purges
        // Bounded: a slice with more to follow has rows.
        index.sequence = slice.hasMore ? slice.rows.last!.sequence : state.sequence
        let isSettled = try (maintainer as? any FinishingMaintainer)?.isSettled(index, on: connection) ?? true
        index.state = slice.hasMore || !isSettled ? .behind : .complete
        invariant(
            index.state == .behind || index.follows(state), "a complete index has all changes and purges")
        try table.update(index)
        if index.state == .complete { group.memory.changesIndexes = true }
        if slice.hasMore { return .behind(state.sequence - index.sequence) }
        return isSettled ? .done : .unsettled
    }
}

/// The size of a build's slices. If writers add changes as fast as the build processes them, the slices become larger,
/// so that the build can end.
struct CatchUpSliceSize {
    /// The number of slices between two checks of the progress.
    private static let slicesPerCheck = 8
    /// The largest factor of a slice's size.
    private static let factorMax = 32

    private(set) var factor: Int
    private var slices = 0
    private var previousBehindCount = Int64.max

    init(factor: Int = 1) { self.factor = factor }

    mutating func note(_ behind: Int64) {
        slices += 1
        guard slices.isMultiple(of: Self.slicesPerCheck) else { return }
        if behind >= previousBehindCount { factor = min(factor * 2, Self.factorMax) }
        invariant(factor > 0, "a slice has room for a change")
        previousBehindCount = behind
    }
}
