//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPlaces
import GodwitBase

/// A shape in the memory of GEOS. It is not thread-safe.
final class GEOSShape {
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { godwit_geos_free(pointer) }

    static func load() throws(GeometryError) {
        if let failure = godwit_geos_load() { throw GeometryError(.libraryMissing, String(cString: failure)) }
    }

    convenience init(_ geometry: Geometry) throws(GeometryError) {
        try self.init(wellKnownBinary: geometry.wellKnownBinary)
    }

    convenience init(wellKnownBinary bytes: [UInt8]) throws(GeometryError) {
        try Self.load()
        guard let pointer = godwit_geos_read(bytes, bytes.count) else { throw Self.failure }
        self.init(pointer)
    }

    /// Creates a rectangle of meridians and parallels.
    convenience init(_ box: BoundingBox) throws(GeometryError) {
        try self.init(box.polygon)
    }

    /// Returns the geometry; `nil` when it is empty.
    func geometry() throws(GeometryError) -> Geometry? {
        if godwit_geos_dimension(pointer) < 0 { return nil }
        var count = 0
        guard let bytes = godwit_geos_write(pointer, &count) else { throw Self.failure }
        defer { free(bytes) }
        return try Geometry(wellKnownBinary: UnsafeRawBufferPointer(start: bytes, count: count), system: .plane)
    }

    /// The topological dimension of the shape; -1 when it is empty.
    var dimension: Int { Int(godwit_geos_dimension(pointer)) }

    /// Returns the reason why the shape is invalid; `nil` when it is valid.
    func flaw() throws(GeometryError) -> String? {
        var reason: UnsafeMutablePointer<CChar>?
        let answer = Self.timed { godwit_geos_is_valid(pointer, &reason) }
        guard answer >= 0 else { throw Self.failure }
        guard let reason else { return nil }
        defer { free(reason) }
        return String(cString: reason)
    }

    func madeValid() throws(GeometryError) -> GEOSShape { try checkedShape { godwit_geos_make_valid(pointer) } }

    func intersection(_ other: GEOSShape) throws(GeometryError) -> GEOSShape {
        try checkedShape { godwit_geos_intersection(pointer, other.pointer) }
    }

    func difference(_ other: GEOSShape) throws(GeometryError) -> GEOSShape {
        try checkedShape { godwit_geos_difference(pointer, other.pointer) }
    }

    func union() throws(GeometryError) -> GEOSShape { try checkedShape { godwit_geos_union(pointer) } }

    func boundary() throws(GeometryError) -> GEOSShape { try checkedShape { godwit_geos_boundary(pointer) } }

    func centroid() throws(GeometryError) -> Position {
        var position = Position(0, 0)
        let isFound = Self.timed { godwit_geos_centroid(pointer, &position.longitude, &position.latitude) }
        guard isFound else { throw Self.failure }
        return position
    }

    /// Returns the intersection matrix. Its rows are this shape's interior, boundary and exterior; its columns are the
    /// same parts of the other shape. Each element is the dimension of the intersection of two parts.
    func matrix(with other: GEOSShape) throws(GeometryError) -> IntersectionMatrix {
        var letters = [CChar](repeating: 0, count: 9)
        let isComputed = Self.timed { godwit_geos_relate(pointer, other.pointer, &letters) }
        guard isComputed else { throw Self.failure }
        return IntersectionMatrix(letters: letters)
    }

    /// Returns a prepared form of the shape: an index that makes tests of many relations faster. The caller must free
    /// the index before the shape.
    func prepared() throws(GeometryError) -> OpaquePointer {
        guard let prepared = Self.timed({ godwit_geos_prepare(pointer) }) else { throw Self.failure }
        return prepared
    }

    private func checkedShape(_ operation: () -> OpaquePointer?) throws(GeometryError) -> GEOSShape {
        guard let pointer = Self.timed(operation) else { throw Self.failure }
        return GEOSShape(pointer)
    }

    /// Runs an operation of GEOS that may take long. After ``GeometryLimits/operationSecondsMax``, it is stopped.
    static func timed<Result>(_ body: () -> Result) -> Result {
        godwit_geos_set_time_limit(GeometryLimits.operationSecondsMax)
        defer { godwit_geos_end_time_limit() }
        return body()
    }

    /// The error of the last failed call.
    static var failure: GeometryError {
        if godwit_geos_expired() {
            return GeometryError(
                .tooCostly, "the operation on the shape was stopped after \(GeometryLimits.operationSecondsMax) seconds"
            )
        }
        return GeometryError(.operationFailed, "GEOS: \(String(cString: godwit_geos_error()))")
    }
}

extension BoundingBox {
    /// The box as a polygon.
    var polygon: Geometry {
        Geometry(
            .polygon, dimension: 2,
            coordinates: [west, south, east, south, east, north, west, north, west, south], pathCounts: [5])
    }
}
