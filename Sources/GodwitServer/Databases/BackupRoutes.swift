//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// A database as a file, for `godwit backup URL FILE`. CouchDB has nothing like it.
struct BackupRoutes {
    let context: ServerContext

    var routes: [Route] {
        [Route(.get, "/{db}/_godwit/backup", access: .database(.administrate), handler: backup)]
    }

    private static let kind = "database_backup"

    @Sendable private func backup(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let datastore = try await context.datastore(request)
        guard request.head.method != .head else { return try await response.sendEmpty(.ok) }
        try await context.activities.during(
            BackupRoutes.kind, of: datastore.name, atMost: ServerLimits.backupsMax
        ) { update in
            let copy = try await context.manager.passingBackup(of: datastore) { pages, total in
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
}
