//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes of a database's properties: its counters, its partitions and its shards.
struct InfoRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}", access: .document(.read), work: .light, handler: info),
            Route(.get, "/{db}/_partition/{partition}", access: .database(.read), handler: partition),
            Route(.get, "/{db}/_shards", access: .database(.read), work: .light, handler: shards),
            Route(.get, "/{db}/_shards/{id}", access: .database(.read), work: .light, handler: shard),
        ]
    }

    @Sendable private func info(_ context: RequestContext) async throws {
        let database = try await context.database()
        let info = try database.datastore.infoValue(server.activities, rights: database.rights)
        try await context.response.sendJSON(body: info.line)
    }

    @Sendable private func partition(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let name = context.request.parameter("partition")
        try datastore.checkPartition(name)
        let area = ListedArea.partition(name)
        let counts = try datastore.read { try $0.counts(in: area.clamp(IDRange())) }
        let answer: JSONValue = [
            "db_name": .string(datastore.name), "partition": .string(name), "doc_count": .integer(Int64(counts.live)),
            "doc_del_count": .integer(Int64(counts.deleted)),
            "sizes": ["active": .integer(Int64(counts.bytes)), "external": .integer(Int64(counts.bytes))],
        ]
        try await context.response.sendJSON(body: answer.line)
    }

    @Sendable private func shards(_ context: RequestContext) async throws {
        _ = try await context.datastore()
        let answer: JSONValue = ["shards": [InfoRoutes.range: [.string(nodeName)]]]
        try await context.response.sendJSON(body: answer.line)
    }

    @Sendable private func shard(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        if datastore.isPartitioned { try PartitionedID.check(context.request.parameter("id")) }
        let answer: JSONValue = ["range": .string(InfoRoutes.range), "nodes": [.string(nodeName)]]
        try await context.response.sendJSON(body: answer.line)
    }

    private static let range = "00000000-ffffffff"
}

extension Datastore {
    /// Returns the database's counters in CouchDB's format. The result also contains the number of documents in
    /// conflict. This number is at most ``ServerLimits/conflictsCountedMax``, and the result omits it if the datastore
    /// shows only the documents of one owner.
    ///
    /// - Parameter rights: The rights of the principal, which are added to the result; `nil` to add no rights.
    func infoValue(_ activities: Activities, rights: DatabaseRights? = nil) throws -> JSONValue {
        let info = try info()
        var properties: JSONObject = [:]
        if isPartitioned { properties["partitioned"] = true }
        var value: JSONObject = [
            "db_name": .string(info.name), "doc_count": .integer(Int64(info.documentCount)),
            "doc_del_count": .integer(Int64(info.deletedCount)),
            "update_seq": .string(info.updateSequence.description),
            "purge_seq": .string("\(info.purgeSequence)-\(identity.epoch)"),
            "compact_running": .bool(activities.isRunning("database_compaction", of: info.name)),
            "sizes": [
                "file": .integer(Int64(info.fileBytes)), "external": .integer(Int64(info.bodyBytes)),
                "active": .integer(Int64(info.fileBytes - info.freeBytes)),
            ],
            "props": .object(properties), "cluster": ["q": 1, "n": 1, "w": 1, "r": 1],
            "disk_format_version": .integer(Int64(FileFormat.version)),
            "instance_start_time": .string(identity.startTime),
        ]
        var own: JSONObject = [:]
        // The number of conflicts includes the documents of all owners. An owner must not learn about the documents of
        // other owners.
        if scope.owner == nil {
            let conflictCount = try read { try $0.conflictedCount(atMost: ServerLimits.conflictsCountedMax) }
            own["conflicts"] = .integer(Int64(conflictCount))
        }
        if let rights { own["rights"] = .array(rights.names.map { .string($0) }) }
        value["godwit"] = .object(own)
        return .object(value)
    }
}

extension DatabaseRights {
    /// The names of the rights, without ``writeLocal``.
    fileprivate var names: [String] {
        let known: [(right: DatabaseRights, name: String)] = [
            (.read, "read"), (.write, "write"), (.administrate, "administrate"),
        ]
        return known.filter { contains($0.right) }.map(\.name)
    }
}
