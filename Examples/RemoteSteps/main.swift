//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

struct Trip: DocumentObject {
    var title: String
    var km: Int
}

let address = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:5984"
let trips = try CouchDatabase("\(address)/trips", credentials: .session(user: "admin", password: "secret"))
try await trips.createDatabase()

// Swift values and documents, as with a datastore.
var coast = try await trips.save(Trip(title: "Coast", km: 42), id: "coast")
coast.value.km = 43
coast = try await trips.save(coast)
let outcomes = try await trips.writeEach([
    .create(Document(encoding: Trip(title: "Hills", km: 12), id: "hills")),
    .create(Document(encoding: Trip(title: "Again", km: 1), id: "coast")),
])
for outcome in outcomes {
    switch outcome {
    case .success(let written): print("\(written.id): generation \(written.revision.generation)")
    case .failure(let error): print(error.code)
    }
}

// An attachment is uploaded from a file or a stream, and downloaded in pieces, completely or in part.
var hills = try await trips.document("hills")
hills.attachments["track.txt"] = .data(Array("51.0 13.7".utf8), contentType: "text/plain")
hills = try await trips.update(hills)
let part = try await trips.bytes(of: hills.attachments["track.txt"]!, in: 0..<4).collect(bytesMax: 100)
print(String(decoding: part, as: UTF8.self))

// Code for a document store works with local and remote databases.
func length(of store: some DocumentStore) async throws -> Int {
    var sum = 0
    for id in try await store.documentIDs(in: IDRange(), limit: .max, descending: false) {
        sum += try await store.object(id, as: Trip.self).value.km
    }
    return sum
}
let manager = try DatastoreManager(directory: "remote-steps")
let kept = try await manager.datastore(named: "trips")
_ = try await kept.save(Trip(title: "Lake", km: 7))
print("\(try await length(of: trips)) km on the server, \(try await length(of: kept)) km here")
await manager.close()

// A feature that the server lacks causes an error.
do {
    let page = try await trips.find(FindQuery(selector: ["km": ["$gt": 40]], limit: 10))
    print("long: \(page.documents.compactMap(\.id))")
} catch {
    guard error.code == .notSupported else { throw error }
    for try await change in trips.changes(live: false, withDocuments: true) {
        if let km = change.document?.body["km"]?.intValue, km > 40 { print("long: [\"\(change.id)\"]") }
    }
}
