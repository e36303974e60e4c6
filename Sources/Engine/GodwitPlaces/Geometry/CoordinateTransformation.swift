//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPlaces
import GodwitBase

/// A transformation of coordinates from one system to another, by PROJ. In positions, east always precedes north. A
/// transformation is thread-safe.
public final class CoordinateTransformation: Sendable {
    /// Owns a transformation of PROJ, and frees it when it is no longer used.
    private struct PROJTransformation: ~Copyable, @unchecked Sendable {
        // Safe to be `Sendable`: it is accessed only through the mutex. The pointer is `nil` if both systems are equal.
        let pointer: OpaquePointer?

        deinit {
            if let pointer { godwit_proj_transformation_free(pointer) }
        }
    }

    /// The system of the input.
    public let source: CoordinateSystem
    /// The system of the output.
    public let target: CoordinateSystem
    private let transformation: Mutex<PROJTransformation>

    /// The maximum number of cached transformations. They are cached because creating a transformation takes
    /// milliseconds.
    private static let cachedMax = 16
    private static let cached = Mutex<[CoordinateTransformation]>([])

    /// Returns the transformation between two systems, from the cache or newly created.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/unknownCoordinateSystem`` when PROJ does not know one
    ///   of the systems or has no transformation between them, ``GeometryError/Code/libraryMissing`` when PROJ is not
    ///   installed.
    public static func between(
        _ source: CoordinateSystem, and target: CoordinateSystem
    ) throws(GeometryError) -> CoordinateTransformation {
        if let existing = cached.withLock({ $0.first { $0.source == source && $0.target == target } }) {
            return existing
        }
        let created = try CoordinateTransformation(from: source, to: target)
        cached.withLock { cached in
            if cached.count == cachedMax { cached.removeFirst() }
            cached.append(created)
        }
        return created
    }

    private init(from source: CoordinateSystem, to target: CoordinateSystem) throws(GeometryError) {
        self.source = source
        self.target = target
        if source == target {
            transformation = Mutex(PROJTransformation(pointer: nil))
            return
        }
        if let failure = godwit_proj_load() { throw GeometryError(.libraryMissing, String(cString: failure)) }
        guard let pointer = godwit_proj_transformation_create(source.description, target.description) else {
            throw GeometryError(.unknownCoordinateSystem, "no transformation from \(source) to \(target) is known")
        }
        transformation = Mutex(PROJTransformation(pointer: pointer))
    }

    /// Transforms a geometry. Coordinates beyond the second are unchanged.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/notTransformable`` when a position cannot be
    ///   represented in the target system, ``GeometryError/Code/outOfRange`` when a result is beyond ±180 or ±90
    ///   degrees of WGS 84.
    public func transform(_ geometry: Geometry) throws(GeometryError) -> Geometry {
        if source == target { return geometry }
        if geometry.kind == .geometryCollection {
            var members: [Geometry] = []
            for member in geometry.members { members.append(try transform(member)) }
            return try GeometryBuilder.collection(of: members)
        }
        var coordinates = geometry.coordinates
        let dimension = geometry.dimension
        transformation.withLock { transformation in
            guard let pointer = transformation.pointer else { return }
            godwit_proj_transform(pointer, &coordinates, dimension, coordinates.count / dimension)
        }
        for index in stride(from: 0, to: coordinates.count, by: dimension) {
            try checkPosition(coordinates[index], coordinates[index + 1])
        }
        return Geometry(
            geometry.kind, dimension: dimension, coordinates: coordinates, pathCounts: geometry.pathCounts,
            ringCounts: geometry.ringCounts)
    }

    /// Transforms a position.
    ///
    /// - Throws: ``GeometryError`` as ``transform(_:)-(Geometry)``.
    public func transform(_ position: Position) throws(GeometryError) -> Position {
        try transform(Geometry(.point, dimension: 2, coordinates: [position.x, position.y])).position(0)
    }

    private func checkPosition(_ x: Double, _ y: Double) throws(GeometryError) {
        guard x.isFinite, y.isFinite else {
            throw GeometryError(.notTransformable, "a position cannot be expressed in \(target)")
        }
        guard target != .wgs84 || (abs(x) <= 180 && abs(y) <= 90) else {
            throw GeometryError(.outOfRange, "a position in \(source) is outside of ±180 and ±90 degrees")
        }
    }
}
