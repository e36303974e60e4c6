//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

let manager = try DatastoreManager(directory: "first-steps")
let trips = try await manager.datastore(named: "trips")

var trip = try await trips.create(Document(body: ["type": "trip", "km": 42]))
trip.body["km"] = 43
trip = try await trips.update(trip)

let read = try trips.document(trip.id!)
print("generation \(read.revision!.generation): \(read.body)")
print("\(try trips.documentCount) document, last change \(trips.updateSequence.number)")
await manager.close()
