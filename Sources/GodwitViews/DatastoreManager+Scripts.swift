//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitQuery
public import GodwitScript
public import GodwitStore

extension DatastoreManager {
    /// Opens a directory, making it when it is not there. Its databases keep indexes for queries, and the views and search
    /// indexes of design documents in JavaScript.
    ///
    /// ```swift
    /// let manager = try DatastoreManager(directory: directory, scripts: .inProcess())
    /// ```
    ///
    /// - Parameter scripts: Runs the functions of design documents. JavaScript starts at the first need.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse`` when another process has it open.
    public convenience init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, scripts: ScriptEngine
    ) throws(StoreError) {
        try self.init(
            directory: directory, durability: durability, limits: limits,
            indexes: QueryKinds.all + [ViewIndex(scripts), SearchIndex(scripts)])
    }
}
