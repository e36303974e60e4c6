//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
package import GodwitJSON

/// A condition on the geometry of a value: `$geoWithin`, `$geoIntersects` or `$near` with its argument.
///
/// The implementation is in a higher module: `GodwitPlaces` registers it, so that apps without geometries need not
/// link that module.
package protocol GeoCondition: AnyObject, Sendable {
    /// Whether the operator is `$near`, which also orders results by distance.
    var isNear: Bool { get }

    /// Whether a value in a scanned text is a geometry that matches the condition, or an array that contains one.
    ///
    /// - Parameter meter: Counts the work; `nil` for unlimited work.
    func matches(_ tape: JSONTape, at index: Int, _ meter: WorkMeter?) -> Bool

    /// Whether a value is a geometry that matches the condition, or an array that contains one.
    func matches(_ value: JSONValue, _ meter: WorkMeter?) -> Bool

    /// Returns the distance from the point of a `$near` to the nearest geometry of a value, in meters. Geometries that
    /// do not match the `$near` are ignored. Returns `nil` when no geometry matches.
    func metres(to tape: JSONTape, at index: Int) -> Double?

    /// Returns the first error that prevented the test of a geometry since the last call of this method, and forgets
    /// the error. The result is `nil` when there was no such error.
    func takeFailure() -> GeoConditionError?
}

/// An error of parsing or testing a condition on a geometry.
package struct GeoConditionError: Error, Hashable {
    /// A description of the error.
    package let message: String

    /// Creates an error with a description.
    package init(_ message: String) { self.message = message }
}

/// Parses the arguments of `$geoWithin`, `$geoIntersects` and `$near` with the registered reader.
package enum GeoConditions {
    /// Parses the argument of an operator, whose name includes its `$`.
    package typealias Reader =
        @Sendable (_ operator: String, _ argument: JSONValue) throws(GeoConditionError) -> any GeoCondition

    private static let reader = Mutex<Reader?>(nil)

    /// Registers the reader for all selectors of this process.
    package static func register(_ reader: @escaping Reader) { self.reader.withLock { $0 = reader } }

    /// Parses the argument of an operator.
    ///
    /// - Throws: ``SelectorError`` with `bad_arg` when the argument is not valid, or when no reader is registered.
    static func condition(_ operator: Operator, _ argument: JSONValue) throws(SelectorError) -> any GeoCondition {
        guard let reader = reader.withLock({ $0 }) else {
            throw .badArea(
                `operator`.rawValue,
                "geospatial queries are not enabled: import GodwitPlaces and call GeospatialQueries.enable()")
        }
        do {
            return try reader(`operator`.rawValue, argument)
        } catch {
            throw .badArea(`operator`.rawValue, error.message)
        }
    }
}
