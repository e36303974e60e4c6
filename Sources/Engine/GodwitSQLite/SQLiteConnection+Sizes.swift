//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension SQLiteConnection {
    /// Returns the total size of the pages of some tables and indexes, in bytes. The size of an absent table or index
    /// is 0.
    package func pageBytes(of names: [String]) throws -> Int {
        let list = names.map { "'\($0)'" }.joined(separator: ",")
        let statement = try statement(
            composed: "SELECT coalesce(sum(pgsize), 0) FROM dbstat('main', 1) WHERE name IN (\(list))")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}
