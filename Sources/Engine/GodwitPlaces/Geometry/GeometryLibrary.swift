//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPlaces

/// The library that computes with polygons.
package enum GeometryLibrary: Sendable {
    /// GEOS, which is loaded when it is first needed. It has all relations, and repairs polygons that cross themselves.
    case geos
    /// Functions of Godwit, for systems without GEOS. They test whether shapes intersect, are disjoint, and contain each
    /// other (`intersects`, `disjoint`, `covers`, `coveredBy`, `contains`, `within`). Other relations, polygons that
    /// cross themselves, and circles around both poles are refused with ``GeometryError/Code/libraryMissing``.
    case own

    /// The library of this process: GEOS if it is installed.
    package static let current: GeometryLibrary = godwit_geos_load() == nil ? .geos : .own

    /// The error for what only GEOS can do.
    static func needsGEOS(_ what: String) -> GeometryError {
        let reason = godwit_geos_load().map { " " + String(cString: $0) } ?? ""
        return GeometryError(.libraryMissing, "\(what) needs GEOS.\(reason)")
    }
}
