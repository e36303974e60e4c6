//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitThreads

/// A condition on the geometry of a value: `$geoWithin`, `$geoIntersects` or `$near` with its argument.
///
/// A module above this one evaluates it: `GodwitPlaces` registers one, so that who needs no geometry does not build it.
package protocol GeoCondition: AnyObject, Sendable {
    /// Whether the operator is `$near`, which has an order: the nearest first.
    var isNear: Bool { get }

    /// Whether a value of a scanned text is a geometry that meets the condition, or a list that has one.
    ///
    /// - Parameter meter: Counts the work; `nil` for work without limits.
    func matches(_ tape: JSONTape, at index: Int, _ meter: WorkMeter?) -> Bool

    /// Whether a value is a geometry that meets the condition, or a list that has one.
    func matches(_ value: JSONValue, _ meter: WorkMeter?) -> Bool

    /// The distance in metres of the nearest geometry of a value that meets a `$near`; `nil` when none does.
    func metres(to tape: JSONTape, at index: Int) -> Double?

    /// Returns the first error that kept a geometry from being tested since the last call; `nil` when there was none.
    func takeFailure() -> GeoConditionError?
}

/// Why a condition on a geometry cannot be read, or cannot be tested.
package struct GeoConditionError: Error, Hashable {
    /// What is wrong.
    package let message: String

    package init(_ message: String) { self.message = message }
}

/// Reads the arguments of `$geoWithin`, `$geoIntersects` and `$near`.
package enum GeoConditions {
    /// Reads the argument of an operator, which is named with its `$`.
    package typealias Reader =
        @Sendable (_ operator: String, _ argument: JSONValue) throws(GeoConditionError) -> any GeoCondition

    private static let reader = Mutex<Reader?>(nil)

    /// Sets the reader of all selectors of this process.
    package static func register(_ reader: @escaping Reader) { self.reader.withLock { $0 = reader } }

    /// Reads the argument of an operator.
    ///
    /// - Throws: ``SelectorError`` that says what is wrong with the argument, or that no reader is registered.
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
