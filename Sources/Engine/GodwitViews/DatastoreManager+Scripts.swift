//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitKeys
import GodwitPlaces
import GodwitQuery
public import GodwitStore

extension DatastoreManager {
    /// Opens a directory, and creates it if it does not exist. The databases of the directory maintain the indexes for
    /// queries. They also maintain the views, search indexes and geospatial indexes that JavaScript functions of design
    /// documents define. The functions `validate_doc_update` of design documents validate the edits of the app and the
    /// documents that its replications pull.
    ///
    /// A manager that is opened without `scripts` does not validate writes.
    ///
    /// ```swift
    /// let manager = try DatastoreManager(directory: directory, scripts: .inProcess())
    /// ```
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - durability: Whether a write is on disk when it is acknowledged, or only after the next checkpoint.
    ///   - limits: The limits of the databases.
    ///   - key: The key that encrypts every file; `nil` for unencrypted files.
    ///   - options: The properties of the directory on a phone.
    ///   - scripts: The engine that runs the functions of design documents. JavaScript starts when it is first needed.
    ///   - user: The user context that is passed to validations; ``userContext`` changes it.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse`` when another manager, of this or another
    ///   process, has opened the directory; ``StoreError/Code/encrypted`` or ``StoreError/Code/wrongKey`` when the key
    ///   does not match; ``StoreError/Code/keyChangePending`` when a change of the key was interrupted;
    ///   ``StoreError/Code/formatTooNew`` when a newer version wrote the directory.
    public convenience init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, key: EncryptionKey? = nil,
        options: DirectoryOptions = DirectoryOptions(), scripts: ScriptEngine, user: UserContext = .administrator
    ) throws(StoreError) {
        GeospatialQueries.enable()
        try self.init(
            directory: directory, durability: durability, limits: limits, key: key, options: options,
            indexes: QueryKinds.all + ScriptedKinds.all(scripts), validator: AppValidator(user: user))
    }

    /// The user context that is passed to validations. A change applies to writes that start later. If the manager was
    /// opened without JavaScript, the property has no effect.
    ///
    /// ```swift
    /// manager.userContext = UserContext(name: "mia", roles: ["staff"])
    /// ```
    public var userContext: UserContext {
        get { (validator as? AppValidator)?.user ?? .administrator }
        set { (validator as? AppValidator)?.user = newValue }
    }
}

/// The types of indexes that functions of design documents build.
package enum ScriptedKinds {
    /// Returns the index types of a manager with JavaScript, in addition to the index types for queries.
    package static func all(_ scripts: ScriptEngine, limits: ViewLimits = ViewLimits()) -> [any IndexKind] {
        [
            ViewIndex(scripts, limits: limits), SearchIndex(scripts, limits: limits),
            GeoFunctionIndex(scripts, limits: limits),
        ]
    }
}
