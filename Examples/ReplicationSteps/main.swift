//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

let address = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:5984"
let manager = try DatastoreManager(directory: "replication-steps")
let trips = try await manager.datastore(named: "trips")
for km: Int64 in [12, 42] { _ = try await trips.create(Document(body: ["type": "trip", "km": .integer(km)])) }

// Once: sends the revisions that the server lacks.
let remote = try RemoteEndpoint.couchDB("\(address)/trips", credentials: .session(user: "admin", password: "secret"))
let report = try await Replicator(.push, trips, with: remote, createsTarget: true).run()
print(report.counts.documentsWritten, "sent, failed:", report.failures.count)

// Continuously, until it is stopped: some documents, to another datastore.
let copy = try await manager.datastore(named: "copy")
var live = Replicator(.pull, copy, with: remote, selection: try .matching(["type": "trip"]))
live.isContinuous = true
let run = live.start()
for try await event in run {
    switch event {
    case .progress(let progress): bar(progress.changesDone, of: progress.changesTotal)
    case .state(let state): if state == .idle { run.stop() }  // running, idle, offline, …
    case .failure(let failure): print(failure.id, failure.status, failure.reason)
    case .trouble(let error): print(error.message)  // it tries again
    }
}
print(try copy.documentCount, "here, stopped:", try await run.report().wasStopped)
await manager.close()

/// Shows the progress in an app.
func bar(_ done: Int, of total: Int) {}
