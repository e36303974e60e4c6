//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

// With a template, a new database with design documents is one file that is written at once. Without a template, the
// file would also have to be opened, written to and closed again, which costs two flushes and three temporary files
// more.

/// The initial content of new databases: documents, and the indexes that they define.
package final class DatabaseTemplate: Sendable {
    private let memory: Mutex<SQLiteConnection>

    /// Creates a template.
    ///
    /// - Parameter image: The bytes of a plain database file.
    fileprivate init(image: [UInt8]) throws { memory = Mutex(try SQLiteConnection(image: image)) }

    /// The plain bytes of a new database. If the manager's files are encrypted, each page reserves bytes for the
    /// cipher's data.
    func image(of identity: DatabaseIdentity) throws -> [UInt8] {
        try memory.withLock { memory in try FileFormat.image(of: identity, in: memory) }
    }
}

extension DatastoreManager {
    /// Creates a template for databases that are encrypted with the directory's key, or plain if the directory has
    /// none.
    ///
    /// - Parameter fill: Writes the documents to a temporary datastore, which is then closed and removed.
    package func template(
        _ fill: @escaping @Sendable (Datastore) async throws -> Void
    ) async throws -> DatabaseTemplate {
        let path = TemporaryFiles.newPath(in: directory)
        do {
            let template = try await template(at: path, fill)
            try await onPool { try DatabaseFiles.remove(at: path) }
            return template
        } catch {
            try? await onPool { try DatabaseFiles.remove(at: path) }
            throw error
        }
    }

    private func template(
        at path: String, _ fill: @escaping @Sendable (Datastore) async throws -> Void
    ) async throws -> DatabaseTemplate {
        let file = DatabaseFile(path: path, disk: disk, durability: .normal, limits: currentLimits)
        let database = try await onPool {
            try DatabaseFiles.write(
                .empty(isPartitioned: false), to: path, on: file.disk, identity: .random(), durability: .normal)
            try DatabaseFiles.publish(path, durability: .normal)
            return try Database(
                name: "template", file: file, crashState: .clean, isFresh: true,
                dependencies: .init(
                    files: OpenFiles(limits: file.limits), kinds: self.kinds, followed: self.followed, validator: nil,
                    catalogue: self.catalogue, callbacks: .none, damages: self.damages, rollbacks: self.rollbacks,
                    reserve: self.reserve, backgroundWork: self.backgroundWork, rested: { _ in }))
        }
        do {
            try await fill(Datastore(database))
            try await database.catchUpIndexes(isOpening: true)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
        return try await onPool {
            let connection = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: file.disk)
            defer { connection.close() }
            return try DatabaseTemplate(image: try connection.image())
        }
    }
}
