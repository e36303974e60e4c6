//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces
import GodwitSelector
import Testing

@Suite("Conditions on geometries")
struct GeoConditionTests {
    @Test(
        "An invalid argument is refused with its reason",
        arguments: [
            (#"{"a": {"$geoWithin": 1}}"#, "Bad argument for operator $geoWithin: the argument must be an object."),
            (
                #"{"a": {"$geoWithin": {"$polygon": []}}}"#,
                "Bad argument for operator $geoWithin: expected one of $geometry, $box and $circle, not $polygon."
            ),
            (
                #"{"a": {"$geoIntersects": {"$circle": {"center": [0, 0], "radius": -1}}}}"#,
                "Bad argument for operator $geoIntersects: a distance must be a number of meters from 0, not -1.0."
            ),
            (
                #"{"a": {"$near": {"$geometry": "POINT(1 1)"}}}"#,
                "Bad argument for operator $near: $maxDistance must be a number of meters."
            ),
            (
                #"{"a": {"$near": {"$geometry": "LINESTRING(1 1, 2 2)", "$maxDistance": 1}}}"#,
                "Bad argument for operator $near: $geometry must be a Point."
            ),
        ])
    func words(selector: String, reason: String) throws {
        GeospatialQueries.enable()
        let value = try JSONValue(parsing: Array(selector.utf8))
        let error = #expect(throws: SelectorError.self) { try Selector(parsing: value) }
        #expect(error?.error == "bad_arg")
        #expect(error?.reason == reason)
    }
}
