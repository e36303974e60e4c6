//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes

/// The server module that makes backups of all databases, restores from them, and checks databases and backups.
///
/// The routes exist even on a server that has no directory for backups. On such a server they respond with an error
/// that explains how to configure a directory.
struct BackupModule: ServerModule {
    let name = "Backups"
    private let server: ServerContext
    private let runner: BackupRunner?
    private let checks: CheckRunner

    /// Creates the module.
    ///
    /// - Parameter directory: The directory of the backups; `nil` if no backups are made.
    init(server: ServerContext, directory: String?) {
        self.server = server
        runner = directory.map { BackupRunner(sets: BackupSets(directory: $0), server: server) }
        checks = CheckRunner(server: server)
    }

    var routes: [Route] {
        [
            Route(.get, "/_godwit/backups", access: .administrator, handler: list),
            Route(.post, "/_godwit/backups", access: .administrator, work: .light, handler: begin),
            Route(.get, "/_godwit/backups/{backup}", access: .administrator, handler: show),
            Route(
                .delete, "/_godwit/backups/{backup}", access: .administrator, audit: "backup removed", handler: remove),
            Route(
                .post, "/_godwit/backups/{backup}/restore", access: .administrator, audit: "database restored",
                handler: restore),
            Route(.post, "/_godwit/backups/{backup}/check", access: .administrator, work: .light, handler: checkBackup),
            Route(.get, "/_godwit/check", access: .administrator, work: .light, handler: showCheck),
            Route(.post, "/_godwit/check", access: .administrator, work: .light, handler: checkDatabases),
            Route(.delete, "/_godwit/check", access: .administrator, work: .light, handler: cancelCheck),
        ]
    }

    func run() async {
        await runner?.run()
        // If the server makes no backups, this task only waits until the server stops. It must still wait, because it
        // then cancels a check that is in progress.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
        await checks.cancel()
    }

    // MARK: Backups

    @Sendable private func list(_ context: RequestContext) async throws {
        let rules = server.settings.options.backups
        var answer: JSONObject = [
            "directory": runner.map { .string($0.sets.directory) } ?? .null,
            "every_hours": .integer(Int64(rules.hours)), "keep": .integer(Int64(rules.keptCount)),
            "next": runner?.nextTime.map { .integer(Int64($0)) } ?? .null,
            "running": runner?.progress.map(BackupModule.value) ?? .null,
            "failure": runner?.failure.map { ["time": .integer(Int64($0.time)), "reason": .string($0.reason)] }
                ?? .null,
        ]
        var backups: [JSONValue] = []
        for name in runner?.sets.names.prefix(ServerLimits.backupsListedMax) ?? [] {
            backups.append(await value(ofBackup: name))
        }
        answer["backups"] = .array(backups)
        try await context.response.sendJSON(body: JSONValue.object(answer).line)
    }

    @Sendable private func begin(_ context: RequestContext) async throws {
        guard let name = try requireRunner().begin() else {
            throw HTTPFailure(.conflict, "conflict", "A backup is in progress. Wait until it is complete.")
        }
        try await context.response.sendJSON(.accepted, body: (["ok": true, "id": .string(name)] as JSONValue).line)
    }

    /// Sends a description of a backup. The description contains a list of the databases in the backup. The list begins
    /// with the name in `startkey` and contains at most `limit` databases.
    @Sendable private func show(_ context: RequestContext) async throws {
        let name = try requireBackup(context), path = try requireRunner().sets.path(of: name)
        let limit = try context.request.target.count("limit") ?? ServerLimits.backupEntriesDefault
        guard var object = await value(ofBackup: name).objectValue, object["error"] == nil else {
            throw HTTPFailure(.internalServerError, "unreadable", "The backup \(name) cannot be read.")
        }
        let entries = try await server.manager.entries(
            of: path, from: context.request.target.value("startkey") ?? "",
            rowsMax: min(limit, ServerLimits.backupEntriesMax))
        object["entries"] = .array(entries.map(BackupModule.value))
        let failures = try await server.manager.failures(of: path, rowsMax: ServerLimits.backupFailuresMax)
        object["failed"] = .array(failures.map(BackupModule.value))
        try await context.response.sendJSON(body: JSONValue.object(object).line)
    }

    /// Removes a backup. If the backup is still in progress, it is cancelled.
    @Sendable private func remove(_ context: RequestContext) async throws {
        let runner = try requireRunner()
        if ExactText.areEqual(runner.progress?.name, context.request.parameter("backup")) {
            await runner.cancel()
        } else {
            let name = try requireBackup(context)
            try await BlockingPool.shared.run { try runner.sets.remove(name) }
        }
        try await context.response.sendJSON(body: okLine)
    }

    /// Creates a database from a backup. The body contains the name of the database in the backup (`database`) and the
    /// name of the new database (`target`). If the body contains no `target`, the new database has the name of the
    /// database in the backup.
    @Sendable private func restore(_ context: RequestContext) async throws {
        let name = try requireBackup(context)
        let members = try await context.request.collectValue(limits: server.limits, depthMax: 1).objectValue
        guard let database = members?["database"]?.stringValue else {
            throw HTTPFailure.badRequest("The body needs the member database, the name of a database in the backup.")
        }
        guard let target = (members?["target"] ?? .string(database)).stringValue else {
            throw HTTPFailure.badRequest("The member target must be a string: the name of the new database.")
        }
        let newName = try server.newDatabaseName(target)
        let path = try requireRunner().sets.path(of: name)
        try await server.activities.during(BackupModule.restoreKind, of: newName, atMost: ServerLimits.backupsMax) {
            _ in
            do throws(StoreError) {
                try await server.manager.restore(database, ofSet: path, as: newName)
            } catch {
                guard error.code == .databaseNotFound else { throw error }
                throw HTTPFailure(.notFound, "not_found", error.message)
            }
        }
        server.securities.forget(newName)
        try await context.response.sendJSON(
            .created, headers: [.location: context.request.url("/\(newName.percentEncoded(keeping: ":"))")],
            body: okLine)
    }

    private static let restoreKind = "database_restore"

    // MARK: Checks

    @Sendable private func checkBackup(_ context: RequestContext) async throws {
        let name = try requireBackup(context)
        try await beginCheck(context, backup: name, at: try requireRunner().sets.path(of: name))
    }

    @Sendable private func checkDatabases(_ context: RequestContext) async throws {
        try await beginCheck(context, backup: nil, at: nil)
    }

    private func beginCheck(_ context: RequestContext, backup: String?, at path: String?) async throws {
        guard checks.begin(backup: backup, at: path) else {
            throw HTTPFailure(.conflict, "conflict", "A check is in progress. Wait for its end, or cancel it.")
        }
        try await context.response.sendJSON(.accepted, body: okLine)
    }

    @Sendable private func cancelCheck(_ context: RequestContext) async throws {
        await checks.cancel()
        try await context.response.sendJSON(body: okLine)
    }

    @Sendable private func showCheck(_ context: RequestContext) async throws {
        try await context.response.sendJSON(body: (checks.report.map(BackupModule.value) ?? [:]).line)
    }

    // MARK: Parts of requests and responses

    private func requireRunner() throws(HTTPFailure) -> BackupRunner {
        guard let runner else {
            throw HTTPFailure(
                .notFound, "no_directory",
                "The server has no directory for backups. Start it with --backups DIRECTORY, on another disk if possible."
            )
        }
        return runner
    }

    /// Returns the name of an existing backup from the path.
    private func requireBackup(_ context: RequestContext) throws(HTTPFailure) -> String {
        let name = context.request.parameter("backup")
        // Exact: the name of a set is ASCII.
        guard BackupSets.isName(name), try requireRunner().sets.names.contains(name) else {
            throw HTTPFailure(.notFound, "not_found", "There is no such backup.")
        }
        return name
    }

    private func value(ofBackup name: String) async -> JSONValue {
        var object: JSONObject = ["id": .string(name)]
        guard let runner, let summary = try? await server.manager.summary(of: runner.sets.path(of: name)) else {
            object["error"] = "The backup cannot be read: it may have another key."
            return .object(object)
        }
        for (member, number) in [
            ("started", summary.started), ("ended", summary.ended), ("databases", summary.databases),
            ("unchanged", summary.unchanged), ("documents", summary.documents), ("bytes", summary.bytes),
            ("failures", summary.failures),
        ] { object[member] = .integer(Int64(number)) }
        return .object(object)
    }

    private static func value(_ progress: BackupRunner.Progress) -> JSONValue {
        [
            "id": .string(progress.name), "started": .integer(Int64(progress.started)),
            "done": .integer(Int64(progress.done)), "databases": .integer(Int64(progress.total)),
        ]
    }

    private static func value(_ entry: BackupEntry) -> JSONValue {
        var object: JSONObject = ["name": .string(entry.name)]
        if let failure = entry.failure { object["failure"] = .string(failure) }
        if entry.hasCopy {
            object["documents"] = .integer(Int64(entry.documents))
            object["bytes"] = .integer(Int64(entry.bytes))
        }
        return .object(object)
    }

    private static func value(_ report: CheckRunner.Report) -> JSONValue {
        [
            "backup": report.backup.map { .string($0) } ?? .null, "started": .integer(Int64(report.started)),
            "ended": report.ended.map { .integer(Int64($0)) } ?? .null, "done": .integer(Int64(report.done)),
            "databases": .integer(Int64(report.total)), "faulty": .integer(Int64(report.faultyCount)),
            "faults": .array(
                report.faults.map { database, faults in
                    ["database": .string(database), "faults": .array(faults.map { .string($0) })]
                }), "failure": report.failure.map { .string($0) } ?? .null,
        ]
    }
}
