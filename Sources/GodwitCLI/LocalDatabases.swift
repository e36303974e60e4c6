//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

/// The local databases that a command works on, by path: one manager for each directory.
actor LocalDatabases {
    private var managers: [String: DatastoreManager] = [:]

    /// Opens `DIR/name`, where a slash in the name is `%2F`.
    func open(_ path: String, creating: Bool) async throws -> Datastore {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex, path.index(after: slash) != path.endIndex
        else {
            throw CommandFailure(
                message: "`\(path)` is neither a URL nor the path of a local database, which is DIR/name.")
        }
        let directory = String(path[..<slash])
        let name = String(path[path.index(after: slash)...].replacing(/%2[Ff]/, with: "/"))
        let manager = try managers[directory] ?? DatastoreManager(directory: directory)
        managers[directory] = manager
        return creating ? try await manager.datastore(named: name) : try await manager.existingDatastore(named: name)
    }

    func close() async {
        for manager in managers.values { await manager.close() }
    }
}
