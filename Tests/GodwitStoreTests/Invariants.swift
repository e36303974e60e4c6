//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import Testing

@testable import GodwitStore

extension Datastore {
    /// Expects that the check of the file finds no fault.
    func checkInvariants(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let faults = try await check()
        #expect(faults.isEmpty, "\(faults)", sourceLocation: sourceLocation)
    }
}

extension DocumentTable {
    /// Returns the stored reference counts of blobs.
    func storedUses() throws -> [Int64: Int] {
        guard try has(.blobs) else { return [:] }
        let statement = try connection.statement("SELECT number, uses FROM blobs")
        defer { statement.reset() }
        var uses: [Int64: Int] = [:]
        while try statement.step() { uses[statement.int64(0)] = statement.int(1) }
        return uses
    }
}
