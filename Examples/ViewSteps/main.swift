//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit
import GodwitViews

let manager = try DatastoreManager(directory: "view-steps", scripts: .inProcess())
let trips = try await manager.datastore(named: "trips")
let views: JSONValue = ["km": ["map": "function(doc) { if (doc.km) emit([doc.year], doc.km) }", "reduce": "_stats"]]
_ = try await trips.create(Document(id: "_design/trips", body: ["views": views]))
for (year, km) in [(2025, 12), (2026, 42), (2026, 8)] as [(Int64, Int64)] {
    _ = try await trips.create(Document(body: ["year": .integer(year), "km": .integer(km)]))
}

var query = ViewQuery()
query.grouping = .level(1)
for try await row in trips.rows(of: "trips/km", query) { print(row.key, row.value) }
await manager.close()
