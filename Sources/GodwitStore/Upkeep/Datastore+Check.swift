//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something in a database that contradicts something else.
public struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in words; never a document's content.
    public let description: String
}

extension Datastore {
    /// Checks everything that the file says twice, over one state of it.
    ///
    /// It reads the whole file, attachments included. Snapshots of a database that is much written to end: check it at
    /// rest, or a backup of it.
    ///
    /// - Returns: What is wrong, at most `faultsMax`; empty when nothing is.
    public func check(faultsMax: Int = 100) async throws -> [Fault] {
        let kinds = database.kinds
        let damaged = try await damagedPages(faultsMax: faultsMax)
        // SQLite stops at the first page that cannot be believed.
        guard damaged.isEmpty else { return damaged }
        return try await snapshot { snapshot in
            try await BlockingPool.shared.run {
                try snapshot.read { table in
                    var unchecked = DocumentTable(table.connection, scope: .all)
                    unchecked.checksBodies = false
                    var check = try DatabaseCheck(unchecked, kinds: kinds, faultsMax: faultsMax)
                    return try check.run()
                }
            }
        }
    }
}

/// What was found so far.
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
