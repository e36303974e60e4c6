//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import Godwit

/// The role of the members of a store of a server.
///
/// Origin: `DB_ACCESS_GROUP_MEMBERS`, `DB_ACCESS_GROUP_ADMINS`. New: ``GodwitSync/CouchDatabase/setSecurity(_:)``.
@available(*, deprecated, message: "Use CouchDatabase.setSecurity(_:).")
public enum IMFDataAccessGroup: String, Sendable {
    /// Users who may read and write documents.
    ///
    /// Origin: `DB_ACCESS_GROUP_MEMBERS`. New: `members` of ``GodwitSync/CouchDatabase/setSecurity(_:)``.
    case members
    /// Users who may also write design documents and change the rights.
    ///
    /// Origin: `DB_ACCESS_GROUP_ADMINS`. New: `admins` of ``GodwitSync/CouchDatabase/setSecurity(_:)``.
    case admins
}

/// See ``IMFDataAccessGroup/members``.
///
/// Origin: `DB_ACCESS_GROUP_MEMBERS`. New: ``GodwitSync/CouchDatabase/setSecurity(_:)``.
@available(*, deprecated, message: "Use CouchDatabase.setSecurity(_:).")
public let DB_ACCESS_GROUP_MEMBERS = IMFDataAccessGroup.members

/// See ``IMFDataAccessGroup/admins``.
///
/// Origin: `DB_ACCESS_GROUP_ADMINS`. New: ``GodwitSync/CouchDatabase/setSecurity(_:)``.
@available(*, deprecated, message: "Use CouchDatabase.setSecurity(_:).")
public let DB_ACCESS_GROUP_ADMINS = IMFDataAccessGroup.admins

/// The stores of an app: local stores, and stores on its server.
///
/// Origin: `IMFDataManager`. New: ``GodwitStore/DatastoreManager`` and ``GodwitSync/CouchDatabase``.
@available(*, deprecated, message: "Use DatastoreManager and CouchDatabase.")
public final class IMFDataManager: @unchecked Sendable {
    // Proof of `Sendable`: the lock guards the members that change.
    private static let shared = IMFDataManager()

    /// Returns the manager of the app.
    ///
    /// Origin: `sharedInstance`. New: ``GodwitStore/DatastoreManager``, one for each directory.
    @available(*, deprecated, message: "Use DatastoreManager.")
    public static func sharedInstance() -> IMFDataManager { shared }

    private let lock = NSLock()
    private var opened: (manager: CDTDatastoreManager, server: String, credentials: Credentials)?

    /// Sets the directory of local stores and the server. Call this method once, before all other methods.
    ///
    /// - Parameters:
    ///   - directory: The directory of local stores.
    ///   - cloudantURL: The URL of the server.
    ///   - credentials: The credentials; `nil` for the user who logs in with ``IMFAuthorizationManager``.
    /// - Throws: ``CDTError`` when the directory cannot be opened, or when `credentials` is `nil` and
    ///   ``IMFClient/initialize(backendRoute:backendGUID:)`` was not called.
    ///
    /// Origin: `initializeWithUrl:`. New: ``GodwitStore/DatastoreManager``'s initializers.
    @available(*, deprecated, message: "Use DatastoreManager and CouchDatabase.")
    public func initialize(directory: String, cloudantURL: String, credentials: Credentials? = nil) throws {
        let credentials = try credentials ?? .tokens(IMFClient.sharedInstance().access())
        let manager = try CDTDatastoreManager(directory: directory)
        let server = cloudantURL.utf8.last == UInt8(ascii: "/") ? String(cloudantURL.dropLast()) : cloudantURL
        lock.withLock { opened = (manager, server, credentials) }
    }

    private func state() throws -> (manager: CDTDatastoreManager, server: String, credentials: Credentials) {
        guard let opened = lock.withLock({ opened }) else {
            throw CDTError(400, "IMFDataManager has no directory yet. Call initialize(directory:cloudantURL:) first.")
        }
        return opened
    }

    /// Creates replicators.
    ///
    /// - Throws: ``CDTError`` before ``initialize(directory:cloudantURL:credentials:)``.
    ///
    /// Origin: `replicatorFactory`. New: ``GodwitSync/Replicator``.
    public var replicatorFactory: CDTReplicatorFactory {
        get throws { CDTReplicatorFactory(datastoreManager: try state().manager) }
    }

    /// Closes all local stores. After that, ``initialize(directory:cloudantURL:credentials:)`` may be called again.
    ///
    /// Origin: none. New: ``GodwitStore/DatastoreManager/close()``.
    @available(*, deprecated, message: "Use DatastoreManager.close().")
    public func close() {
        let closing = lock.withLock {
            defer { opened = nil }
            return opened
        }
        closing?.manager.close()
    }

    // MARK: Stores

    /// Opens a local store, or creates it.
    ///
    /// Origin: `localStore:error:`. New: ``GodwitStore/DatastoreManager/datastore(named:encryption:)``.
    @available(*, deprecated, message: "Use DatastoreManager.datastore(named:).")
    public func localStore(_ name: String) throws -> CDTStore {
        CDTStore(name, datastore: try state().manager.datastoreNamed(name))
    }

    /// Opens an encrypted local store, or creates it.
    ///
    /// Origin: `localStore:withEncryptionKeyProvider:error:`. New:
    /// ``GodwitStore/DatastoreManager/datastore(named:encryption:)``.
    @available(*, deprecated, message: "Use DatastoreManager.datastore(named:encryption:).")
    public func localStore(
        _ name: String, withEncryptionKeyProvider provider: any CDTEncryptionKeyProvider
    ) throws -> CDTStore {
        CDTStore(name, datastore: try state().manager.datastoreNamed(name, withEncryptionKeyProvider: provider))
    }

    /// Opens a store on the server. A missing store is created if the user has the right to create databases.
    ///
    /// Origin: `remoteStore:completionHandler:`. New: ``GodwitSync/CouchDatabase``.
    @available(*, deprecated, message: "Use CouchDatabase.")
    public func remoteStore(
        _ name: String, completionHandler: @escaping @Sendable (_ store: CDTStore?, _ error: (any Error)?) -> Void
    ) {
        Task {
            do {
                completionHandler(try await self.remoteStore(name), nil)
            } catch {
                completionHandler(nil, error)
            }
        }
    }

    /// Opens a store on the server. A missing store is created if the user has the right to create databases.
    ///
    /// Origin: `remoteStore:completionHandler:`. New: ``GodwitSync/CouchDatabase``.
    @available(*, deprecated, message: "Use CouchDatabase.")
    public func remoteStore(_ name: String) async throws -> CDTStore {
        do {
            let database = try self.database(name)
            do {
                try await database.createDatabase()
            } catch {
                guard [.databaseExists, .accessRefused].contains(error.code) else { throw error }
                _ = try await database.info()
            }
            return CDTStore(name, database: database)
        } catch {
            throw CDTError(error)
        }
    }

    private func database(_ name: String) throws -> CouchDatabase {
        let state = try state()
        return try CDTError.converting {
            try CouchDatabase("\(state.server)/\(IMFDataManager.segment(name))", credentials: state.credentials)
        }
    }

    private static func segment(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-_")))
            ?? name
    }

    /// Adds the user who is logged in to the members or the administrators of a store of the server. Only an
    /// administrator of the store may do this. It is safer to set such rights on the server, and not in an app.
    ///
    /// Origin: `setCurrentUserPermissions:forStoreName:completionHander:`. New:
    /// ``GodwitSync/CouchDatabase/setSecurity(_:)``.
    @available(*, deprecated, message: "Use CouchDatabase.setSecurity(_:).")
    public func setCurrentUserPermissions(
        _ group: IMFDataAccessGroup, forStoreName name: String,
        completionHandler: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void
    ) {
        Task {
            do {
                try await self.setCurrentUserPermissions(group, forStoreName: name)
                completionHandler(true, nil)
            } catch {
                completionHandler(false, error)
            }
        }
    }

    /// Adds the user to the members or the administrators of a store of the server. The user must be an administrator
    /// of the store.
    ///
    /// Origin: `setCurrentUserPermissions:forStoreName:completionHander:`. New:
    /// ``GodwitSync/CouchDatabase/setSecurity(_:)``.
    @available(*, deprecated, message: "Use CouchDatabase.setSecurity(_:).")
    public func setCurrentUserPermissions(_ group: IMFDataAccessGroup, forStoreName name: String) async throws {
        do {
            let database = try self.database(name)
            let user: String?
            switch try state().credentials {
            case .basic(let name, _), .session(let name, _): user = name
            default: user = try await IMFClient.sharedInstance().access().user
            }
            guard let user else { throw CDTError(401, "No user is logged in.") }
            var security = try await database.security()
            var role = security[group.rawValue]?.objectValue ?? [:]
            var names = role["names"]?.arrayValue ?? []
            if !names.contains(.string(user)) { names.append(.string(user)) }
            role["names"] = .array(names)
            security[group.rawValue] = .object(role)
            try await database.setSecurity(security)
        } catch {
            throw CDTError(error)
        }
    }

    // MARK: Replications

    /// Returns the replication that pulls a local store from the server's store with the same name. Creates the local
    /// store if it is absent.
    ///
    /// - Parameter provider: Provides the key of an encrypted local store; `nil` for a store without encryption.
    ///
    /// Origin: `pullReplicationForStore:`, `pullReplicationForStore:withEncryptionKeyProvider:`. New:
    /// ``GodwitSync/Replicator`` with the direction `pull`, without the key.
    @available(*, deprecated, message: "Use Replicator(.pull, …).")
    public func pullReplicationForStore(
        _ name: String, withEncryptionKeyProvider provider: (any CDTEncryptionKeyProvider)? = nil
    ) throws -> CDTPullReplication {
        let (url, datastore) = try sides(name, provider)
        return CDTPullReplication(source: url, target: datastore, credentials: try state().credentials)
    }

    /// Returns the replication that pushes a local store to the server's store with the same name. Creates the local
    /// store if it is absent.
    ///
    /// - Parameter provider: Provides the key of an encrypted local store; `nil` for a store without encryption.
    ///
    /// Origin: `pushReplicationForStore:`, `pushReplicationForStore:withEncryptionKeyProvider:`. New:
    /// ``GodwitSync/Replicator`` with the direction `push`, without the key.
    @available(*, deprecated, message: "Use Replicator(.push, …).")
    public func pushReplicationForStore(
        _ name: String, withEncryptionKeyProvider provider: (any CDTEncryptionKeyProvider)? = nil
    ) throws -> CDTPushReplication {
        let (url, datastore) = try sides(name, provider)
        return CDTPushReplication(source: datastore, target: url, credentials: try state().credentials)
    }

    private func sides(
        _ name: String, _ provider: (any CDTEncryptionKeyProvider)?
    ) throws -> (url: URL, datastore: CDTDatastore) {
        let state = try state()
        guard let url = URL(string: "\(state.server)/\(IMFDataManager.segment(name))") else {
            throw CDTError(400, "\(state.server) is no URL.")
        }
        guard let provider else { return (url, try state.manager.datastoreNamed(name)) }
        return (url, try state.manager.datastoreNamed(name, withEncryptionKeyProvider: provider))
    }
}
