//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
package import GodwitJSON
package import GodwitSelector

/// A condition of `$geoWithin`, `$geoIntersects` or `$near` on a geometry.
///
/// ```json
/// {"$geoWithin": {"$box": [[-123.3, 38.2], [-122.9, 38.4]]}}
/// {"$geoIntersects": {"$geometry": {"type": "Polygon", "coordinates": […]}}}
/// {"$geoIntersects": {"$geometry": "LINESTRING(-123 38, -122 39)"}}
/// {"$geoWithin": {"$circle": {"center": [-123.05, 38.33], "radius": 10000}}}
/// {"$near": {"$geometry": {"type": "Point", "coordinates": [-123.05, 38.33]}, "$maxDistance": 10000}}
/// ```
///
/// Distances are in meters. A geometry on the edge of an area is within the area. A value may also be a list of
/// geometries, of which at least one must match.
package final class AreaCondition: GeoCondition {
    /// The area of the condition.
    package let area: SearchArea
    /// The relation that a geometry must have to the area.
    package let relation: Relation
    /// Whether the operator is `$near`, which orders results by distance.
    package let isNear: Bool
    /// The minimum distance of a geometry from the center (`$minDistance` of `$near`), in meters; 0 for other
    /// operators.
    package let metresMin: Double
    private let tests: Mutex<Tests>
    private let measure: DistanceMeasure?
    /// The last error that prevented a test, until ``takeFailure()`` removes it.
    private let failure = Mutex<GeoConditionError?>(nil)

    /// The prepared tests that are not in use.
    private struct Tests: @unchecked Sendable {
        // Safe to be `Sendable`: before a thread uses a test, it removes the test from this list, under the lock.
        // Therefore, no two threads use the same test.
        var idle: [RelationTest]
    }

    /// The maximum number of geometries of a list that are tested. An index contains at most the same number of
    /// geometries of a document.
    package static let geometriesMax = 4_096

    /// The maximum number of prepared tests that are stored.
    private static let idleMax = 8

    /// Parses the argument of an operator.
    ///
    /// - Parameters:
    ///   - operator: The operator with its `$`.
    ///   - argument: The argument.
    /// - Throws: ``GeometryError`` when the argument is not valid.
    init(_ operator: String, _ argument: JSONValue) throws(GeometryError) {
        guard let members = argument.objectValue else {
            throw GeometryError(.notAGeometry, "the argument must be an object")
        }
        isNear = `operator` == "$near"
        if isNear {
            (area, metresMin) = try Self.surroundings(members)
        } else {
            (area, metresMin) = (try Self.area(members), 0)
        }
        relation = `operator` == "$geoWithin" ? .covers : .intersects
        measure = isNear ? DistanceMeasure(from: try area.center()) : nil
        // The first test is prepared here. Therefore an invalid area is refused before any document is tested.
        tests = Mutex(Tests(idle: [try RelationTest(area, relation)]))
    }

    // MARK: Arguments

    private static func area(_ members: JSONObject) throws(GeometryError) -> SearchArea {
        guard members.count == 1, let (name, value) = members.first else {
            throw GeometryError(.notAGeometry, "expected one of $geometry, $box and $circle")
        }
        switch name {
        case "$geometry": return .geometry(try geometry(value))
        case "$box":
            let pairs = (value.arrayValue ?? []).map { $0.arrayValue ?? [] }
            let corners = pairs.joined().compactMap(\.doubleValue)
            guard pairs.count == 2, pairs.allSatisfy({ $0.count == 2 }), corners.count == 4 else {
                throw GeometryError(.invalidCoordinates, "$box needs two corners, each a longitude and a latitude")
            }
            return try .box(corners: corners, wraps: true)
        case "$circle":
            guard let center = value["center"].flatMap(position), let radius = value["radius"]?.doubleValue else {
                throw GeometryError(.invalidCoordinates, "$circle needs a center and a radius in meters")
            }
            return try .circle(center: center, radius: radius)
        default: throw GeometryError(.notAGeometry, "expected one of $geometry, $box and $circle, not \(name)")
        }
    }

    private static func geometry(_ value: JSONValue) throws(GeometryError) -> Geometry {
        if let text = value.stringValue { return try Geometry(wellKnownText: text) }
        return try Geometry(json: value)
    }

    private static func position(_ value: JSONValue) -> Position? {
        guard let elements = value.arrayValue, elements.count == 2 else { return nil }
        let numbers = elements.compactMap(\.doubleValue)
        guard numbers.count == 2 else { return nil }
        return Position(longitude: numbers[0], latitude: numbers[1])
    }

    /// Returns the circle of a `$near`, and the minimum distance of a geometry from its center.
    private static func surroundings(_ members: JSONObject) throws(GeometryError) -> (SearchArea, Double) {
        for name in members.keys where !["$geometry", "$maxDistance", "$minDistance"].contains(name) {
            throw GeometryError(.notAGeometry, "expected $geometry, $maxDistance and $minDistance, not \(name)")
        }
        guard let value = members["$geometry"], case let point = try geometry(value), let center = point.position else {
            throw GeometryError(.notAGeometry, "$geometry must be a Point")
        }
        guard let metresMax = members["$maxDistance"]?.doubleValue else {
            throw GeometryError(.invalidDistance, "$maxDistance must be a number of meters")
        }
        let metresMin = members["$minDistance"].map { $0.doubleValue ?? -1 } ?? 0
        guard metresMin >= 0, metresMin <= metresMax else {
            throw GeometryError(.invalidDistance, "$minDistance must be a number of meters from 0 to $maxDistance")
        }
        return (try .circle(center: center, radius: metresMax), metresMin)
    }

    // MARK: Documents

    package func matches(_ tape: JSONTape, at index: Int, _ meter: WorkMeter?) -> Bool {
        switch tape.kind(index) {
        case .object: shape(meter) { () throws(GeometryError) in try Geometry(tape: tape, at: index) } != nil
        case .array:
            tape.elements(of: index).prefix(Self.geometriesMax).contains { element in
                meter?.end == nil && tape.kind(element) == .object
                    && shape(meter) { () throws(GeometryError) in try Geometry(tape: tape, at: element) } != nil
            }
        default: false
        }
    }

    package func matches(_ value: JSONValue, _ meter: WorkMeter?) -> Bool {
        switch value {
        case .object: shape(meter) { () throws(GeometryError) in try Geometry(json: value) } != nil
        case .array(let elements):
            elements.prefix(Self.geometriesMax).contains { element in
                guard meter?.end == nil, case .object = element else { return false }
                return shape(meter) { () throws(GeometryError) in try Geometry(json: element) } != nil
            }
        default: false
        }
    }

    package func metres(to tape: JSONTape, at index: Int) -> Double? {
        let nodes = tape.kind(index) == .array ? Array(tape.elements(of: index).prefix(Self.geometriesMax)) : [index]
        return nodes.compactMap { node -> Double? in
            guard tape.kind(node) == .object else { return nil }
            let shape = shape { () throws(GeometryError) in try Geometry(tape: tape, at: node) }
            return shape.flatMap { measure?.metres(to: $0) }
        }.min()
    }

    package func takeFailure() -> GeoConditionError? { failure.withLock { $0.take() } }

    /// Returns the shape of a geometry that matches the condition; `nil` for any other value.
    ///
    /// Two kinds of values never match: values that are not geometries, and geometries whose projection would take too
    /// long. An index does not contain such values either. If the relation of a geometry cannot be tested, the result
    /// is also `nil`, and ``takeFailure()`` returns the error.
    private func shape(
        _ meter: WorkMeter? = nil, of geometry: () throws(GeometryError) -> Geometry
    ) -> Shape? {
        let startTime = meter == nil ? .zero : ProcessorTime.ofThread
        defer { meter?.spend(timeSince: startTime) }
        guard let geometry = try? geometry() else { return nil }
        do {
            let shape = try Shape(geometry)
            if metresMin > 0, let measure, measure.metres(to: shape) < metresMin { return nil }
            let test = try takeTest()
            defer { putBack(test) }
            do {
                return try test.holds(for: shape) ? shape : nil
            } catch {
                failure.withLock { $0 = GeoConditionError(error.message) }
            }
        } catch {
            if error.code == .libraryMissing { failure.withLock { $0 = GeoConditionError(error.message) } }
        }
        return nil
    }

    private func takeTest() throws(GeometryError) -> RelationTest {
        let removed = tests.withLock { tests in Tests(idle: tests.idle.popLast().map { [$0] } ?? []) }
        if let idle = removed.idle.first { return idle }
        return try RelationTest(area, relation)
    }

    private func putBack(_ test: RelationTest) {
        let returned = Tests(idle: [test])
        tests.withLock { tests in if tests.idle.count < Self.idleMax { tests.idle += returned.idle } }
    }
}
