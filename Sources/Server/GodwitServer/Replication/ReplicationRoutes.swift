//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import HTTPTypes

/// The routes that start and cancel replications, and that report their state.
struct ReplicationRoutes {
    let server: ServerContext
    let scheduler: ReplicationScheduler

    var routes: [Route] {
        [
            Route(.post, "/_replicate", access: .anyone, condition: "a login", handler: replicate),
            Route(.get, "/_scheduler/jobs", access: .administrator, handler: jobs),
            Route(.get, "/_scheduler/jobs/{id}", access: .administrator, handler: job),
            Route(.get, "/_scheduler/docs", access: .administrator, handler: documents),
            Route(.get, "/_scheduler/docs/{db}", access: .administrator, handler: documents),
            Route(.get, "/_scheduler/docs/{db}/{id}", access: .administrator, handler: document),
        ]
    }

    // MARK: Running a replication

    @Sendable private func replicate(_ context: RequestContext) async throws {
        let principal = context.principal
        guard principal.name != nil else { throw HTTPFailure.unauthorized("Log in to replicate.") }
        let body = try await context.request.collectValue(limits: server.limits, depthMax: JSONLimits.default.depthMax)
        guard let object = body.objectValue else {
            throw HTTPFailure.badRequest("Request body must be a JSON object")
        }
        if let cancel = object["cancel"], cancel != .null, cancel.boolValue == nil {
            throw HTTPFailure.badRequest("`cancel` must be true or false")
        }
        if object["cancel"]?.boolValue == true { return try await cancel(object, principal, context.response) }
        let job = ReplicationJob(spec: try ReplicationSpec(object), owner: principal, document: nil)
        try job.spec.checkReach(of: principal, hosts: server.settings.options.replicationHosts)
        if job.spec.isContinuous {
            try await scheduler.add(job) { _ in }
            let answer: JSONValue = ["ok": true, "_local_id": .string(job.id)]
            return try await context.response.sendJSON(.accepted, body: answer.line)
        }
        do {
            let report = try await scheduler.run(job)
            guard job.spec.keepsCheckpoints else {
                let answer: JSONValue = ["ok": true, "use_checkpoints": false]
                return try await context.response.sendJSON(body: answer.line)
            }
            let selectsIDs = if case .ids = job.spec.selection.choice { true } else { false }
            var answer = report.couchDBObject(selectsIDs: selectsIDs)
            if selectsIDs, answer["history"] != nil {
                for (name, value) in report.countsOfDocuments { answer[name] = value }
            }
            try await context.response.sendJSON(body: JSONValue.object(answer).line)
        } catch let error as ReplicationError {
            throw HTTPFailure(replication: error, to: principal, isRemote: job.spec.isRemote)
        }
    }

    private func cancel(_ object: JSONObject, _ principal: Principal, _ response: ServerResponse) async throws {
        let id: String
        if let idText = (object["replication_id"] ?? object["id"])?.stringValue {
            id = idText
        } else {
            id = try ReplicationSpec(object).id(owner: principal.name ?? "")
        }
        guard let job = await scheduler.job(id), principal.isAdministrator || job.owner.isNamed(principal.name) else {
            throw HTTPFailure.missing
        }
        _ = await scheduler.cancel(id)
        try await response.sendJSON(body: (["ok": true, "_local_id": .string(id)] as JSONValue).line)
    }

    // MARK: Listing replications

    @Sendable private func jobs(_ context: RequestContext) async throws {
        let openJobs = await scheduler.all.filter { !$0.status.state.isTerminal }
        try await send(openJobs.map(\.jobValue), as: "jobs", context)
    }

    @Sendable private func job(_ context: RequestContext) async throws {
        guard let job = await scheduler.job(context.request.parameter("id")) else { throw HTTPFailure.missing }
        try await context.response.sendJSON(body: job.jobValue.line)
    }

    @Sendable private func documents(_ context: RequestContext) async throws {
        let name = context.request.parameter("db")
        guard name.isEmpty || name == ReplicatorDatabase.name else { throw HTTPFailure.databaseMissing }
        let states = try states(context.request)
        let documentJobs = await scheduler.all.filter {
            $0.document != nil && states?.contains($0.status.state) ?? true
        }
        try await send(documentJobs.map(\.documentValue), as: "docs", context)
    }

    /// Parses the parameter `states`, a comma-separated list of states; `nil` for all states.
    private func states(_ request: ServerRequest) throws(HTTPFailure) -> Set<ReplicationJob.State>? {
        guard let text = request.target.value("states") else { return nil }
        var states: Set<ReplicationJob.State> = []
        for name in text.pieces(at: ",").map(String.init) {
            // CouchDB has the additional state `error`. This server does not use this state, so no replication matches
            // it.
            guard name != "error" else { continue }
            guard let state = ReplicationJob.State(rawValue: name) else {
                let stateNames = ReplicationJob.State.allCases.map(\.rawValue).joined(separator: ",")
                throw .badQuery("Unknown states [\(name)]. Choose from: [\(stateNames)]")
            }
            states.insert(state)
        }
        return states
    }

    @Sendable private func document(_ context: RequestContext) async throws {
        let id = context.request.parameter("id")
        guard let job = await scheduler.all.first(where: { $0.belongs(to: id) }) else { throw HTTPFailure.missing }
        try await context.response.sendJSON(body: job.documentValue.line)
    }

    private func send(_ rows: [JSONValue], as name: String, _ context: RequestContext) async throws {
        // This route has the parameters of a list of documents, for example `limit` and `skip`.
        let page = try AllDocsQuery(context.request.target)
        let (skip, pageRows) = (min(page.skip, rows.count), rows.dropFirst(page.skip).prefix(page.limit))
        let answer: JSONObject = [
            "total_rows": .integer(Int64(rows.count)), "offset": .integer(Int64(skip)), name: .array(Array(pageRows)),
        ]
        try await context.response.sendJSON(body: JSONValue.object(answer).line)
    }
}

extension ReplicationReport {
    /// The response of `_replicate`. Its history contains the runs of the replication, the newest first. The newest run
    /// is omitted if it replicated no changes. A first run without changes has no history.
    ///
    /// - Parameter selectsIDs: Whether the replication selects documents by their ids. If the source has none of them,
    ///   as if it is empty, there were no changes.
    fileprivate func couchDBObject(selectsIDs: Bool) -> JSONObject {
        // A run without new changes may have tried again the documents that earlier runs could not write.
        let isFirst = history.count < 2
        let isOfEmptySource = ExactText.areEqual(String(endSequence.prefix { $0 != "-" }), "0")
        let hadNoRows = isFirst && counts.missingChecked == 0 && (selectsIDs || isOfEmptySource)
        let hasChanges =
            !ExactText.areEqual(startSequence, endSequence) && !hadNoRows
            || counts.documentsWritten > 0 || !failures.isEmpty
        guard hasChanges || !hadNoRows else { return ["ok": true, "no_changes": true] }
        let runs = hasChanges || isFirst ? history : Array(history.dropFirst())
        var object: JSONObject = [
            "ok": true, "session_id": runs.first?["session_id"] ?? .null, "source_last_seq": .string(endSequence),
            "replication_id_version": 4, "history": .array(runs),
        ]
        if !hasChanges { object["no_changes"] = true }
        return object
    }

    /// The members that CouchDB adds to the response if the request selects documents with `doc_ids`.
    fileprivate var countsOfDocuments: JSONObject {
        var object = JSONObject()
        for name in ["start_time", "end_time", "docs_read", "docs_written", "doc_write_failures"] {
            object[name] = history.first?[name]
        }
        return object
    }
}
