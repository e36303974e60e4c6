//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

// Notes [DIRECTORY [URL]]: writes a note and finds it; with a URL it also pushes the notes to that database.
let manager = try DatastoreManager(directory: CommandLine.arguments.dropFirst().first ?? "notes")
let notes = try await manager.datastore(named: "notes")

var note = try await notes.create(Document(body: ["type": "note", "text": "buy milk", "stars": 1]))
note.body["stars"] = 3
note.attachments["list.txt"] = .data(Array("milk, bread".utf8), contentType: "text/plain")
note = try await notes.update(note)

try await notes.ensureIndex(["type", .descending("stars")], named: "by-stars")
for try await found in notes.find(["type": "note", "stars": ["$gt": 2]], sort: [.descending("stars")]) {
    print("found \(found.body)")
}

if CommandLine.arguments.count > 2 {
    let remote = try RemoteEndpoint.couchDB(CommandLine.arguments[2])
    let report = try await Replicator(.push, notes, with: remote, createsTarget: true).run()
    print("pushed \(report.counts.documentsWritten)")
}
await manager.close()
