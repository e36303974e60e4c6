//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A geodesic from a position in a direction (section 2 of Karney's article).
struct GeodesicLine {
    private let longitude: Double
    /// The direction at the equator.
    private let equator: SineCosine
    /// The angles of the start on the auxiliary sphere: along the geodesic, and of the longitude.
    private let start: SineCosine
    private let startLongitude: SineCosine
    private let lengths: GeodesicSeries
    private let angles: GeodesicSeries
    private let longitudes: GeodesicSeries

    init(from position: Position, azimuth: Double) {
        longitude = position.longitude
        let latitude = Ellipsoid.reduced(position.latitude)
        let direction = SineCosine(degrees: azimuth)
        equator = SineCosine(
            sine: direction.sine * latitude.cosine, cosine: hypot(direction.cosine, direction.sine * latitude.sine))
        let isAtEquatorAndEast = latitude.sine == 0 && direction.cosine == 0
        let cosine = isAtEquatorAndEast ? 1 : latitude.cosine * direction.cosine
        start = SineCosine(sine: latitude.sine, cosine: cosine).normalized
        startLongitude = SineCosine(sine: equator.sine * latitude.sine, cosine: cosine)
        let parameter = GeodesicSeries.parameter(equator.cosine)
        lengths = .length(parameter)
        angles = .angle(parameter)
        longitudes = .longitude(parameter)
    }

    /// Returns the position at a length in meters.
    func position(metres: Double) -> Position {
        let startSum = lengths.sum(start)
        let tau = metres / (Ellipsoid.polarRadius * lengths.factor)
        let startTau = start + SineCosine(radians: startSum)
        let arc = tau + startSum + angles.sum(startTau + SineCosine(radians: tau))
        let end = start + SineCosine(radians: arc)
        var latitude = SineCosine(
            sine: equator.cosine * end.sine, cosine: hypot(equator.sine, equator.cosine * end.cosine))
        var endCosine = end.cosine
        if latitude.cosine == 0 { (latitude.cosine, endCosine) = (Ellipsoid.tiny, Ellipsoid.tiny) }
        let endLongitude = SineCosine(sine: equator.sine * end.sine, cosine: endCosine)
        let onSphere = (endLongitude - startLongitude).radians
        let correction = arc + (longitudes.sum(end) - longitudes.sum(start))
        let difference = onSphere - Ellipsoid.flattening * equator.sine * longitudes.factor * correction
        let degrees = (longitude + difference * 180 / .pi).remainder(dividingBy: 360)
        return Position(
            abs(degrees) == 180 ? (longitude + difference < 0 ? -180 : 180) : degrees,
            atan2(latitude.sine, Ellipsoid.axesRatio * latitude.cosine) * 180 / .pi)
    }
}
