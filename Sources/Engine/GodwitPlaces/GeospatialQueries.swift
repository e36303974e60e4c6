//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitQuery
import GodwitSelector

/// Enables geospatial queries in this process.
public enum GeospatialQueries {
    /// Enables geospatial indexes, and `$geoWithin`, `$geoIntersects` and `$near` in selectors.
    ///
    /// ```swift
    /// import Godwit
    /// import GodwitPlaces
    ///
    /// GeospatialQueries.enable()
    /// let manager = try DatastoreManager(directory: "trips")
    /// ```
    ///
    /// Call this method before a ``DatastoreManager`` is opened: a manager that was opened earlier does not maintain
    /// geospatial indexes. Further calls have no effect. An index that was created in an earlier run of the program is
    /// updated when it is next used. `DatastoreManager(directory:scripts:)` calls this method, so `godwit serve` and
    /// programs with `GodwitHost` need not call it. A program must call it if it creates a `GodwitServer` with a
    /// manager that has no scripts.
    public static func enable() { _ = isEnabled }

    private static let isEnabled: Bool = {
        GeoConditions.register { `operator`, argument throws(GeoConditionError) in
            do throws(GeometryError) {
                return try AreaCondition(`operator`, argument)
            } catch {
                throw GeoConditionError(error.message)
            }
        }
        GeoIndexes.register(GeoIndex())
        return true
    }()
}
