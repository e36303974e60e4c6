//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
public import GodwitKeys
import GodwitQuery
public import GodwitStore

/// Runs `body` with a datastore in a temporary directory, which is removed afterwards.
///
/// ```swift
/// try await withTemporaryDatastore { trips in
///     _ = try await trips.create(Document(body: ["km": 42]))
/// }
/// ```
///
/// - Parameters:
///   - name: The datastore's name.
///   - disk: The disk of the directory; the system's by default.
///   - key: The key of the files; by default they are not encrypted.
///   - body: The code that uses the datastore.
public func withTemporaryDatastore<Result>(
    named name: String = "test", on disk: FaultDisk? = nil, key: EncryptionKey? = nil,
    _ body: (Datastore) async throws -> Result
) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: "godwit-" + UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let manager =
        try disk?.manager(directory: directory, key: key)
        ?? DatastoreManager(directory: directory, durability: .normal, key: key)
    do {
        let result = try await body(try await manager.datastore(named: name))
        await manager.close()
        return result
    } catch {
        await manager.close()
        throw error
    }
}
