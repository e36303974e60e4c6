//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

struct Car: DocumentObject {
    var make: String
    var model: String
    var year: Int
    var notes: String
}

let manager = try DatastoreManager(directory: "query-steps")
let garage = try await manager.datastore(named: "garage")
for car in [
    Car(make: "Toyota", model: "Corolla", year: 2006, notes: "Runs quietly, never failed."),
    Car(make: "Toyota", model: "Camry", year: 2011, notes: "The quiet one, for long trips."),
    Car(make: "Lada", model: "Niva", year: 1994, notes: "Loud. Goes everywhere."),
] { _ = try await garage.save(car, id: car.model) }

// A Mango selector with a sort order; without an index for the order, results are sorted in memory.
for try await car in garage.find(["year": ["$lt": 2010]], sort: [.descending("year")]) {
    print(car.id ?? "", car.body["year"] ?? .null)
}

// An index is created once and built in the background; every write updates it.
print(try await garage.explain(FindQuery(selector: ["make": "Toyota"])).words)
try await garage.ensureIndex(["make", .descending("year")], named: "by-make")
print(try await garage.find(FindQuery(selector: ["make": "Toyota"], sort: [.descending("year")])).documents.count)
print(try await garage.count(["make": "Toyota", "year": ["$gte": 2010]]), "since 2010")

// Conditions that the compiler checks, and NSPredicate's format. Both become selectors.
for car in try await garage.find(\Car.year > 2000 && .begins(\Car.model, with: "C"), sort: ["year"]) {
    print(car.value.model, car.value.year)
}
print(try PredicateFormat("make = 'Lada' AND year BETWEEN {1990, 2000}"))

// Text search with ranking: with an analyzer for a language, `quiet` also finds `quietly`.
try await garage.ensureTextIndex(["notes"], named: "words", analyzer: "english")
for try await car in garage.find(["$text": "quiet trip* OR everywhere"]) { print(car.id ?? "") }
await manager.close()
