//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitKeys
import GodwitQuery
public import GodwitScript
public import GodwitStore

extension DatastoreManager {
    /// Opens a directory, making it when it is not there. Its databases keep indexes for queries, and the views,
    /// search indexes and geospatial indexes of design documents in JavaScript.
    ///
    /// ```swift
    /// let manager = try DatastoreManager(directory: directory, scripts: .inProcess())
    /// ```
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - durability: When a write is on disk.
    ///   - limits: The limits of its databases.
    ///   - key: What every file is encrypted with; `nil` for plain files.
    ///   - scripts: Runs the functions of design documents. JavaScript starts at the first need.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse`` when another process has it open.
    public convenience init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, key: EncryptionKey? = nil,
        scripts: ScriptEngine
    ) throws(StoreError) {
        try self.init(
            directory: directory, durability: durability, limits: limits, key: key,
            indexes: QueryKinds.all + ScriptedKinds.all(scripts))
    }
}

/// The kinds of indexes that functions of design documents make.
package enum ScriptedKinds {
    /// What a manager with JavaScript is opened with beside the kinds of queries.
    package static func all(_ scripts: ScriptEngine, limits: ViewLimits = ViewLimits()) -> [any IndexKind] {
        [
            ViewIndex(scripts, limits: limits), SearchIndex(scripts, limits: limits),
            GeoFunctionIndex(scripts, limits: limits),
        ]
    }
}
