//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitKeys
import GodwitPlaces
import GodwitQuery
public import GodwitScript
public import GodwitStore

extension DatastoreManager {
    /// Opens a directory, making it when it is not there. Its databases keep indexes for queries, and the views,
    /// search indexes and geospatial indexes of design documents in JavaScript, and what is written to them is held against
    /// the validations of those (`validate_doc_update`): an app's own edits, and what its replications pull.
    ///
    /// A manager that is opened without `scripts` validates nothing.
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
    ///   - user: Who writes, as validations are told it; ``userContext`` changes it.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse`` when another process has it open.
    public convenience init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, key: EncryptionKey? = nil,
        scripts: ScriptEngine, user: UserContext = .administrator
    ) throws(StoreError) {
        GeospatialQueries.enable()
        try self.init(
            directory: directory, durability: durability, limits: limits, key: key,
            indexes: QueryKinds.all + ScriptedKinds.all(scripts), validator: AppValidator(user: user))
    }

    /// Who writes to the databases, as validations are told it. Writes that begin from now on have it; without JavaScript
    /// it is of no effect.
    ///
    /// ```swift
    /// manager.userContext = UserContext(name: "mia", roles: ["staff"])
    /// ```
    public var userContext: UserContext {
        get { (validator as? AppValidator)?.user ?? .administrator }
        set { (validator as? AppValidator)?.user = newValue }
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
