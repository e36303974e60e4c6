//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes that copy a database as a file, for `godwit backup URL FILE` and `godwit restore FILE URL`. CouchDB has
/// no such routes.
struct BackupRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}/_godwit/backup", access: .database(.administrate), handler: backup),
            Route(.put, "/{db}/_godwit/backup", access: .administrator, audit: "database restored", handler: restore),
        ]
    }

    private static let backupKind = "database_backup"
    private static let restoreKind = "database_restore"

    @Sendable private func backup(_ context: RequestContext) async throws {
        let response = context.response
        let datastore = try await context.datastore()
        guard context.request.head.method != .head else { return try await response.sendEmpty(.ok) }
        try await server.activities.during(
            BackupRoutes.backupKind, of: datastore.name, atMost: ServerLimits.backupsMax
        ) { update in
            let copy = try await server.manager.unlinkedBackup(of: datastore) { pages, total in
                update(["changes_done": .integer(Int64(pages)), "total_changes": .integer(Int64(total))])
            }
            let type = datastore.isEncrypted ? "application/octet-stream" : "application/vnd.sqlite3"
            try await response.begin(contentType: type, length: copy.byteCount)
            while true {
                let piece = try await copy.read()
                guard !piece.isEmpty else { break }
                try await response.write(piece)
            }
            try await response.finish()
        }
    }

    /// Creates a database from a backup in the body. A backup contains no security object. Therefore the default
    /// security object applies to the new database until an administrator sets another one.
    @Sendable private func restore(_ context: RequestContext) async throws {
        let request = context.request
        let name = try server.newDatabaseName(request.parameter("db"))
        try await server.activities.during(
            BackupRoutes.restoreKind, of: name, atMost: ServerLimits.backupsMax
        ) { update in
            let backup = try await server.manager.arrivingBackup(named: name)
            var receivedCount = 0
            // The request's size has no limit except the free space of the disk. A limit is not necessary, because only
            // administrators can send backups.
            try await request.readUnpackedBody(bytesMax: .max) { piece in
                try await backup.append(piece)
                receivedCount += piece.count
                update(["bytes_done": .integer(Int64(receivedCount)), "total_bytes": request.declaredBytes])
            }
            do throws(StoreError) {
                try await backup.restore()
            } catch {
                throw BackupRoutes.failure(of: error)
            }
        }
        server.securities.forget(name)
        try await context.response.sendJSON(
            .created, headers: [.location: request.url("/\(name.percentEncoded(keeping: ":"))")], body: okLine)
    }

    /// Maps an error of restoring to an error response. An invalid backup is an error of the request.
    private static func failure(of error: StoreError) -> any Error {
        switch error.code {
        case .encrypted, .wrongKey:
            HTTPFailure(
                .badRequest, "wrong_key",
                "The backup is encrypted with a key that is not this server's. Restore it to a directory with "
                    + "--backup-key-file, and replicate the database to this server.")
        case .corrupt:
            HTTPFailure(
                .badRequest, "bad_backup",
                "The body is not a backup of a database, or it is damaged. Send a file that `godwit backup` wrote.")
        default: error
        }
    }
}

extension ServerRequest {
    /// The body's length for `_active_tasks`; `null` when the client did not declare the length.
    fileprivate var declaredBytes: JSONValue { declaredLength.map { .integer(Int64($0)) } ?? .null }
}
