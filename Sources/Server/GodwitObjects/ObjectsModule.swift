//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitObjectStore
public import GodwitServer
public import GodwitStore
import HTTPTypes
import Logging

/// The server module that provides object storage. It has OpenStack Swift's API at `/v1`, Keystone's API at `/v3`, and
/// S3's API at `/_s3`. S3's API can also have a port of its own.
///
/// Objects are files in the folder `objects` of the data directory.
public final class ObjectsModule: ServerModule {
    /// See ``ServerModule/name``.
    public let name = "Objects"

    /// The directory with the objects of all accounts.
    package let directory: ObjectDirectory
    private let isServed: Bool
    private let s3: S3Options
    private let logger = Mutex<Logger?>(nil)

    /// Opens the objects of a data directory.
    ///
    /// - Parameters:
    ///   - manager: The databases of the directory.
    ///   - isServed: Whether the module has routes. If `false`, the module only includes the objects of the directory
    ///     in backups and checks, and removes expired objects.
    ///   - s3: How S3 is offered besides `/_s3`.
    /// - Throws: An error if the files cannot be opened.
    public init(manager: DatastoreManager, isServed: Bool = true, s3: S3Options = S3Options()) throws {
        directory = try ObjectDirectory(in: manager)
        self.isServed = isServed
        self.s3 = s3
        manager.include(directory)
    }

    /// Returns the objects of an account, for modules of this server. Creates the account if it does not exist. Blocks
    /// the thread for disk access.
    ///
    /// - Parameter account: The account's name: 1 to 64 letters, digits, `_` and `-`.
    /// - Throws: ``GodwitObjectStore/ObjectError`` if the name is invalid or the files cannot be written.
    public func store(of account: String) throws(ObjectError) -> any ObjectStore {
        do {
            if try directory.account(named: account) == nil {
                _ = try directory.addAccount(named: account, quota: nil)
            }
        } catch {
            throw ObjectError(storing: error, account)
        }
        return EmbeddedObjectStore(directory, account: account)
    }

    /// Whether a data directory has a folder for objects. The folder may be empty, because it is not removed with the
    /// last object.
    public static func hasObjects(in manager: DatastoreManager) -> Bool {
        manager.folder(named: ObjectDirectory.folderName).exists
    }

    /// See ``ServerModule/routes``.
    public var routes: [Route] {
        guard isServed else { return [] }
        return AdministrationRoutes(directory: directory).routes + KeystoneRoutes(directory: directory).routes
            + SwiftRoutes(directory: directory).routes + SwiftInfoRoutes().routes
            + S3Routes(directory: directory, options: s3, mount: .path).routes
    }

    /// See ``ServerModule/listeners``.
    public var listeners: [ModuleListener] {
        guard isServed, let address = s3.address else { return [] }
        let mount = S3Mount(base: "", host: s3.host?.lowercasedASCII)
        return [
            ModuleListener(
                address: address, option: "--s3-port",
                routes: S3Routes(directory: directory, options: s3, mount: mount).routes,
                failureForm: S3Failure.form, onListening: s3.onListening)
        ]
    }

    /// See ``ServerModule/failureForms``.
    public var failureForms: [String: FailureForm] {
        guard isServed else { return [:] }
        return ["v1": SwiftFailure.form, "v3": KeystoneFailure.form, "_s3": S3Failure.form]
    }

    /// See ``ServerModule/consolePages``.
    public var consolePages: [ConsolePage] {
        guard isServed else { return [] }
        return [ConsolePage(id: "objects", title: "Objects", script: "/_utils/pages/objects.js")]
    }

    /// See ``ServerModule/start(in:)``.
    public func start(in server: RunningServer) async throws { logger.withLock { $0 = server.logger } }

    /// Removes expired objects, old uploads and unused files until the task is cancelled.
    public func run() async {
        let logger = logger.withLock { $0 }
        await directory.collectUntilCancelled { error in
            logger?.error("the collection of unused objects failed", metadata: ["cause": "\(error)"])
        }
    }

    /// Closes the catalogue.
    public func stop() async { try? await directory.run { $0.close() } }
}
