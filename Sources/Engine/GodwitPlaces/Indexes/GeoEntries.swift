//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import GodwitSelector
import GodwitStore

/// The geometries of a document in the form in which an index stores them.
package struct GeoEntries: Sendable {
    /// One geometry.
    struct Entry: Sendable, Equatable {
        /// The bounding boxes of the geometry: two if it crosses the antimeridian.
        let boxes: [BoundingBox]
        /// The geometry's shape on the map, as well-known binary.
        let shape: [UInt8]
        /// The document's geometry as well-known binary, if it differs from the shape; `nil` otherwise.
        let geometry: [UInt8]?

        /// The document's geometry, as well-known binary.
        var written: [UInt8] { geometry ?? shape }
    }

    private(set) var entries: [Entry] = []
    /// The errors of the omitted geometries, without duplicates, at most ``GeoLimits/reasonsMax``.
    private(set) var reasons: [String] = []
    /// The number of omitted geometries.
    private(set) var skipped = 0
    /// Only used while the list is created: the geometries of the document that the index contains now. If a geometry
    /// is equal to the indexed geometry at the same position, it need not be projected again.
    private var indexed: [Entry] = []
    private var spentTime = Duration.zero

    /// Creates an empty list of geometries.
    package init() {}

    /// Reads geometries from a tape.
    ///
    /// - Parameters:
    ///   - indexes: The indexes of the geometries in the tape.
    ///   - tape: The scanned text.
    ///   - system: The coordinate system.
    package init(_ indexes: some Sequence<Int>, of tape: JSONTape, system: CoordinateSystem) {
        for index in indexes { append(index, tape, system) }
    }

    /// Reads the geometries of a document that a rule finds. Deleted documents, design documents and documents that do
    /// not match the rule have none. Invalid geometries are omitted.
    ///
    /// - Parameter indexed: The geometries of the document that the index contains now.
    /// - Throws: An error if the body is not valid JSON.
    init(of row: DocumentRow, by rule: GeoRule, system: CoordinateSystem, known indexed: [Entry] = []) throws {
        self.indexed = indexed
        defer { self.indexed = [] }
        guard !row.winner.isDeleted, !DocumentID.isStoredDesign(row.id) else { return }
        let tape = try JSONTape(scanning: row.body, limits: .stored)
        guard case .found(let index) = rule.path.target(in: tape), rule.matches(tape) else { return }
        if rule.acceptsArrays, tape.kind(index) == .array {
            for element in tape.elements(of: index) { append(element, tape, system) }
        } else {
            append(index, tape, system)
        }
    }

    private mutating func append(_ index: Int, _ tape: JSONTape, _ system: CoordinateSystem) {
        guard tape.kind(index) != .null else { return }
        do {
            guard entries.count < GeoLimits.geometriesPerDocumentMax else {
                throw GeometryError(
                    .tooManyPositions, "a document may have at most \(GeoLimits.geometriesPerDocumentMax) geometries")
            }
            entries.append(try entry(Geometry(tape: tape, at: index, system: system), system))
        } catch {
            leaveOut((error as? GeometryError)?.description ?? "\(error)")
        }
    }

    /// Counts an omitted geometry of the document.
    package mutating func leaveOut(_ reason: String) {
        skipped += 1
        if reasons.count < GeoLimits.reasonsMax, !reasons.contains(where: reason.isIdenticalText) {
            reasons.append(reason)
        }
        invariant(!reasons.isEmpty && reasons.count <= skipped, "omitted geometries have a reason")
    }

    private mutating func entry(_ geometry: Geometry, _ system: CoordinateSystem) throws(GeometryError) -> Entry {
        // A point is always projected, because this takes less time than to compare it with an indexed point.
        guard geometry.kind != .point else { return try Self.entry(geometry, system) }
        // Only geometries at the same position are compared. This is sufficient if elements were added or removed at
        // the end of a list, because all other elements then have the same positions as before.
        if indexed.indices.contains(entries.count), indexed[entries.count].written == geometry.wellKnownBinary {
            return indexed[entries.count]
        }
        guard spentTime < .seconds(GeoLimits.documentSecondsMax) else {
            throw GeometryError(
                .tooCostly,
                "indexing the geometries of a document may take at most \(GeoLimits.documentSecondsMax) seconds")
        }
        let start = ProcessorTime.ofThread
        defer { spentTime += ProcessorTime.ofThread - start }
        return try Self.entry(geometry, system)
    }

    private static func entry(_ geometry: Geometry, _ system: CoordinateSystem) throws(GeometryError) -> Entry {
        let transformed =
            system == .wgs84 ? geometry : try CoordinateTransformation.between(system, and: .wgs84).transform(geometry)
        let shape = try Shape(transformed)
        let written = shape.geometry == geometry ? nil : geometry.wellKnownBinary
        return Entry(boxes: shape.boxes, shape: shape.wellKnownBinary, geometry: written)
    }
}
