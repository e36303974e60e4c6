//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Little-endian well-known binary (ISO 19125): the format of geometries in an index and in GEOS. The number of the
/// type is increased by 1000 for three coordinates, and by 3000 for four.
extension Geometry {
    /// The geometry as well-known binary.
    public var wellKnownBinary: [UInt8] {
        if kind == .point && dimension == 2 { return pointBinary }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(coordinates.count * 8 + 16 * (pathCounts.count + 2))
        appendBinary(to: &bytes)
        return bytes
    }

    /// Parses little-endian well-known binary.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/invalidBinary`` when the bytes are not well-known
    ///   binary; with other codes when the geometry is not valid.
    public init(wellKnownBinary bytes: [UInt8], system: CoordinateSystem = .wgs84) throws(GeometryError) {
        self = try bytes.withUnsafeBufferPointer { (buffer) throws(GeometryError) in
            try Geometry(wellKnownBinary: UnsafeRawBufferPointer(buffer), system: system)
        }
    }

    /// Parses little-endian well-known binary.
    package init(
        wellKnownBinary bytes: UnsafeRawBufferPointer, system: CoordinateSystem = .wgs84
    ) throws(GeometryError) {
        var reader = BinaryReader(bytes: bytes, system: system)
        self = try reader.geometry()
        guard reader.isAtEnd else { throw BinaryReader.invalid }
    }

    /// The bytes of a point of two coordinates. Most geometries are such points.
    private var pointBinary: [UInt8] {
        let (x, y) = (coordinates[0].bitPattern.littleEndian, coordinates[1].bitPattern.littleEndian)
        return [UInt8](unsafeUninitializedCapacity: BinaryReader.pointBytes) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes[0] = BinaryReader.littleEndian
            bytes.storeBytes(of: UInt32(clamping: kind.rawValue).littleEndian, toByteOffset: 1, as: UInt32.self)
            bytes.storeBytes(of: x, toByteOffset: 5, as: UInt64.self)
            bytes.storeBytes(of: y, toByteOffset: 13, as: UInt64.self)
            count = BinaryReader.pointBytes
        }
    }

    private func appendBinary(to bytes: inout [UInt8]) {
        Self.appendHeader(kind, dimension, to: &bytes)
        switch kind {
        case .point: appendPositions(0..<1, to: &bytes)
        case .lineString: appendCounted(paths[0], to: &bytes)
        case .multiPoint: appendParts(.point, paths[0].map { [$0..<$0 + 1] }, to: &bytes)
        case .polygon: appendRings(paths[...], to: &bytes)
        case .multiLineString: appendParts(.lineString, paths.map { [$0] }, to: &bytes)
        case .multiPolygon: appendParts(.polygon, polygons, to: &bytes)
        case .geometryCollection:
            Self.append(UInt32(clamping: members.count), to: &bytes)
            for member in members { member.appendBinary(to: &bytes) }
        }
    }

    private func appendParts(_ kind: Kind, _ parts: [ArraySlice<Range<Int>>], to bytes: inout [UInt8]) {
        Self.append(UInt32(clamping: parts.count), to: &bytes)
        for part in parts {
            Self.appendHeader(kind, dimension, to: &bytes)
            switch kind {
            case .point: appendPositions(part[part.startIndex], to: &bytes)
            case .lineString: appendCounted(part[part.startIndex], to: &bytes)
            default: appendRings(part, to: &bytes)
            }
        }
    }

    private func appendRings(_ rings: ArraySlice<Range<Int>>, to bytes: inout [UInt8]) {
        Self.append(UInt32(clamping: rings.count), to: &bytes)
        for ring in rings { appendCounted(ring, to: &bytes) }
    }

    private func appendCounted(_ positions: Range<Int>, to bytes: inout [UInt8]) {
        Self.append(UInt32(clamping: positions.count), to: &bytes)
        appendPositions(positions, to: &bytes)
    }

    private func appendPositions(_ positions: Range<Int>, to bytes: inout [UInt8]) {
        for index in positions.lowerBound * dimension..<positions.upperBound * dimension {
            withUnsafeBytes(of: coordinates[index].bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        }
    }

    private static func appendHeader(_ kind: Kind, _ dimension: Int, to bytes: inout [UInt8]) {
        bytes.append(BinaryReader.littleEndian)
        append(UInt32(clamping: kind.rawValue) + BinaryReader.thousands(of: dimension), to: &bytes)
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

/// Parses well-known binary.
private struct BinaryReader {
    let bytes: UnsafeRawBufferPointer
    let system: CoordinateSystem
    private var offset = 0
    private var positionsLeft = GeometryLimits.positionsMax

    static let littleEndian: UInt8 = 1
    /// The size of a point of two coordinates.
    static let pointBytes = 21
    static let invalid = GeometryError(
        .invalidBinary, "the bytes are not little-endian well-known binary of a geometry")

    init(bytes: UnsafeRawBufferPointer, system: CoordinateSystem) {
        self.bytes = bytes
        self.system = system
    }

    var isAtEnd: Bool { offset == bytes.count }

    static func thousands(of dimension: Int) -> UInt32 { dimension == 2 ? 0 : dimension == 3 ? 1000 : 3000 }

    mutating func geometry(depth: Int = 1) throws(GeometryError) -> Geometry {
        let (kind, dimension) = try header()
        if kind == .geometryCollection { return try collection(depth: depth) }
        var builder = GeometryBuilder(system: system, positionsLeft: positionsLeft)
        switch kind {
        case .point: try positions(1, dimension, into: &builder)
        case .lineString: try line(dimension, into: &builder)
        case .polygon: try rings(dimension, into: &builder)
        default: try parts(of: kind, dimension, into: &builder)
        }
        let geometry = try builder.finish(kind)
        positionsLeft -= geometry.positionCount
        return geometry
    }

    private mutating func collection(depth: Int) throws(GeometryError) -> Geometry {
        guard depth < GeometryLimits.nestingMax else {
            throw GeometryError(.tooDeep, "collections may be nested at most \(GeometryLimits.nestingMax) levels deep")
        }
        var members: [Geometry] = []
        for _ in 0..<(try count()) { members.append(try geometry(depth: depth + 1)) }
        return try GeometryBuilder.collection(of: members)
    }

    private mutating func parts(
        of kind: Geometry.Kind, _ dimension: Int, into builder: inout GeometryBuilder
    ) throws(GeometryError) {
        for _ in 0..<(try count()) {
            let part = try header()
            guard part.kind.rawValue + 3 == kind.rawValue, part.dimension == dimension else { throw Self.invalid }
            switch part.kind {
            case .point: try positions(1, dimension, into: &builder)
            case .lineString: try line(dimension, into: &builder)
            default:
                try rings(dimension, into: &builder)
                try builder.endPolygon()
            }
        }
    }

    private mutating func line(_ dimension: Int, into builder: inout GeometryBuilder) throws(GeometryError) {
        try positions(try count(), dimension, into: &builder)
        try builder.endLine()
    }

    private mutating func rings(_ dimension: Int, into builder: inout GeometryBuilder) throws(GeometryError) {
        for _ in 0..<(try count()) {
            try positions(try count(), dimension, into: &builder)
            try builder.endRing()
        }
    }

    private mutating func positions(
        _ count: Int, _ dimension: Int, into builder: inout GeometryBuilder
    ) throws(GeometryError) {
        guard count <= (bytes.count - offset) / (dimension * 8) else { throw Self.invalid }
        for _ in 0..<count {
            var position: InlineArray<4, Double> = .init(repeating: 0)
            for index in 0..<dimension {
                position[index] = Double(
                    bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                offset += 8
            }
            try builder.append(position, count: dimension)
        }
    }

    private mutating func header() throws(GeometryError) -> (kind: Geometry.Kind, dimension: Int) {
        guard offset < bytes.count, bytes[offset] == Self.littleEndian else { throw Self.invalid }
        offset += 1
        let code = try integer()
        let dimension = code / 1000 == 0 ? 2 : code / 1000 == 1 ? 3 : 4
        guard code < 4000, code / 1000 != 2, let kind = Geometry.Kind(rawValue: UInt8(truncatingIfNeeded: code % 1000)),
            code % 1000 < 256
        else { throw Self.invalid }
        return (kind, dimension)
    }

    private mutating func count() throws(GeometryError) -> Int { Int(try integer()) }

    private mutating func integer() throws(GeometryError) -> UInt32 {
        guard offset + 4 <= bytes.count else { throw Self.invalid }
        defer { offset += 4 }
        return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
