//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitObjectFiles
public import GodwitObjectStore
public import GodwitServer
public import GodwitStore
import GodwitThreads
import HTTPTypes
import Logging

/// The server module that provides object storage. It has OpenStack Swift's API at `/v1`, Keystone's API at `/v3`, and
/// S3's API at `/_s3`.
///
/// Objects are files in the folder `objects` of the data directory.
public final class ObjectsModule: ServerModule {
    /// See ``ServerModule/name``.
    public let name = "Objects"

    /// The directory with the objects of all accounts.
    package let directory: ObjectDirectory
    private let isServed: Bool
    private let logger = Mutex<Logger?>(nil)

    /// Opens the objects of a data directory.
    ///
    /// - Parameters:
    ///   - manager: The databases of the directory.
    ///   - isServed: Whether the module has routes. If `false`, the module only includes the objects of the directory
    ///     in backups and checks, and removes expired objects.
    /// - Throws: An error if the files cannot be opened.
    public init(manager: DatastoreManager, isServed: Bool = true) throws {
        directory = try ObjectDirectory(in: manager)
        self.isServed = isServed
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
            + S3Routes(directory: directory).routes
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

    /// Closes the catalog.
    public func stop() async { try? await directory.run { $0.close() } }
}
