//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit
import GodwitPlaces

GeospatialQueries.enable()
let manager = try DatastoreManager(directory: "place-steps")
let cafes = try await manager.datastore(named: "cafes")
for (name, longitude, latitude) in [
    ("Bodega", -123.04, 38.33), ("Jenner", -123.11, 38.45), ("Sebastopol", -122.82, 38.40), ("Olema", -122.79, 38.04),
] {
    let geometry = try Geometry.point(longitude: longitude, latitude: latitude)
    _ = try await cafes.create(Document(id: name, body: ["kind": "cafe", "geometry": geometry.json]))
}

// An index is created once; every write updates it.
try await cafes.ensureGeoIndex(on: "geometry")

// All places within 20 km, the nearest first; then the two nearest at any distance.
let here = Position(longitude: -123.05, latitude: 38.34)
for hit in try await cafes.places(GeoQuery(.circle(center: here, radius: 20_000))).hits {
    print(hit.document.id ?? "", Int(hit.metres))
}
var nearest = GeoQuery(.geometry(try Geometry(wellKnownText: "POINT(-122.8 38.1)")), nearest: true)
nearest.limit = 2
print(try await cafes.places(nearest).hits.map { $0.document.id ?? "" })

// In a selector, with other conditions; then all places in an area.
let near: JSONValue = ["$near": ["$geometry": "POINT(-123.05 38.34)", "$maxDistance": 20_000]]
for try await cafe in cafes.find(["geometry": near, "kind": "cafe"]) { print(cafe.id ?? "") }
let coast = try Geometry(wellKnownText: "POLYGON((-123.3 38.2, -123 38.2, -123 38.6, -123.3 38.6, -123.3 38.2))")
print(try await cafes.places(GeoQuery(.geometry(coast), relation: .contains)).hits.count, "on the coast")
await manager.close()
