//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An inconsistency in a database.
public struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// A description of the inconsistency. It never contains a document's content.
    public let description: String

    /// Creates an inconsistency.
    package init(description: String) { self.description = description }
}

extension Datastore {
    /// Checks that the file is undamaged and that its redundant data is consistent.
    ///
    /// The check of an encrypted file begins with its pages, which must match their authentication codes. If no page is
    /// damaged, the redundant data is checked on one snapshot of the database.
    ///
    /// Reads the complete file, including attachments. If there are many concurrent writes, the snapshot can end, and
    /// ``StoreError/Code/snapshotExpired`` is thrown. In that case, check the database while it is idle, or check a
    /// backup of the database.
    ///
    /// - Throws: ``StoreError`` if the file cannot be read; an error if the task is cancelled.
    /// - Returns: The inconsistencies, at most `faultsMax`; empty if the database is consistent. If pages of an
    ///   encrypted file are damaged, only the damaged pages are returned.
    public func check(faultsMax: Int = 100) async throws -> [Fault] {
        let kinds = database.kinds
        return try await withCancellationFlag { cancellation in
            let damaged = try await damagedPages(faultsMax: faultsMax, cancellation)
            // If pages are damaged, the redundant data is not checked, because SQLite stops at the first damaged page.
            guard damaged.isEmpty else { return damaged }
            return try await snapshot { snapshot in
                try await BlockingPool.shared.run {
                    try snapshot.read { table in
                        var check = try DatabaseCheck(
                            of: table.connection, kinds: kinds, faultsMax: faultsMax, cancellation)
                        return try check.run()
                    }
                }
            }
        }
    }
}

/// The inconsistencies that were found so far.
final class FaultList {
    private let max: Int
    private(set) var found: [Fault] = []

    init(max: Int) { self.max = max }

    func add(_ fault: String) {
        if found.count < max { found.append(Fault(description: fault)) }
    }

    func expect(_ isTrue: Bool, _ fault: @autoclosure () -> String) {
        if !isTrue { add(fault()) }
    }
}
