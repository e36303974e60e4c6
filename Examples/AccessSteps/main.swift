//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The program of docs/sessions.md. A test compares both.
//
//   .build/debug/AccessSteps http://127.0.0.1:5984

import Godwit

// The server has an application `com.example.trips`. The app keeps its databases and its session in one folder.
let address = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:5984"
let manager = try DatastoreManager(directory: "access-steps")
let access = try AccessManager(
    server: address, application: "com.example.trips",
    device: AppDevice(name: "Ann's phone", platform: "Linux"), version: "1.2",
    storage: FileSessionStorage(path: "access-steps/session"), wiping: [manager])

// Events that the app shows: a newer version, the end of the session, a lost device.
let notices = Task { for await notice in await access.notices { print(notice) } }

// At the first start the user registers. Later the stored session continues.
if try await access.user == nil {
    try await access.register(name: "ann", password: "a long password")
}
print("\(try await access.user ?? "no user") is logged in")

// Replications and requests use the session. Its tokens are renewed when they expire, in the middle of a replication too.
let trips = try await manager.datastore(named: "trips")
_ = try await trips.create(Document(id: "coast", body: ["km": 42]))
if let database = try await access.database {
    let remote = try RemoteEndpoint.couchDB("\(address)/\(database)", credentials: .tokens(access))
    let report = try await Replicator(.push, trips, with: remote).run()
    print("\(report.counts.documentsWritten) document on the server")
}

do {
    try await access.logIn(name: "ann", password: "a wrong password")
} catch {
    print("\(error.code): \(error.message)")
}
try await access.logOut()
print("logged in: \(try await access.user != nil)")
notices.cancel()
await manager.close()
