//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGeo
import GodwitQuery
import GodwitSelector

/// Geospatial queries of this process.
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
    /// Call it before a ``DatastoreManager`` is opened: a manager that was opened before does not keep geospatial indexes. Further
    /// calls change nothing. An index that exists is brought up to date when it is next used. `DatastoreManager(directory:scripts:)`
    /// calls it, and so `godwit serve` and programs with `GodwitHost` need not. A program that gives a `GodwitServer` a manager
    /// without scripts calls it.
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
