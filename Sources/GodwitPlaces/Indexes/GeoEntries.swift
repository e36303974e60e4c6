//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
package import GodwitGeo
package import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitThreads

/// The geometries of a document, as an index keeps them.
package struct GeoEntries: Sendable {
    /// One geometry.
    struct Entry: Sendable, Equatable {
        /// The boxes that hold it: two across the antimeridian.
        let boxes: [BoundingBox]
        /// Its shape on the map, as well-known binary.
        let shape: [UInt8]
        /// The geometry as the document has it, where that is another one.
        let geometry: [UInt8]?

        /// The geometry as the document has it, as well-known binary.
        var written: [UInt8] { geometry ?? shape }
    }

    private(set) var entries: [Entry] = []
    /// What is wrong with the geometries that are left out.
    private(set) var reasons: [String] = []
    /// How many are left out.
    private(set) var skipped = 0
    /// What the index has of the document: what is the same need not be laid on the map again.
    private var known: [Entry] = []
    private var spent = Duration.zero

    package init() {}

    /// Reads geometries off a tape.
    ///
    /// - Parameters:
    ///   - places: Where they stand on it.
    ///   - system: Whose coordinates they are.
    package init(_ places: some Sequence<Int>, of tape: JSONTape, system: CoordinateSystem) {
        for position in places { append(position, tape, system) }
    }

    /// Reads the geometries of a document that a rule finds.
    ///
    /// - Parameter known: What the index has of the document.
    init(of row: DocumentRow, by rule: GeoRule, system: CoordinateSystem, known: [Entry] = []) throws {
        self.known = known
        defer { self.known = [] }
        guard !row.winner.isDeleted, !DocumentID.isStoredDesign(row.id) else { return }
        let tape = try JSONTape(scanning: row.body, limits: .stored)
        guard case .found(let index) = rule.path.target(in: tape), rule.matches(tape) else { return }
        if rule.takesLists, tape.kind(index) == .array {
            for position in tape.elements(of: index) { append(position, tape, system) }
        } else {
            append(index, tape, system)
        }
    }

    private mutating func append(_ position: Int, _ tape: JSONTape, _ system: CoordinateSystem) {
        guard tape.kind(position) != .null else { return }
        do {
            guard entries.count < GeoLimits.geometriesPerDocumentMax else {
                throw GeometryError(
                    .tooManyPositions, "a document has at most \(GeoLimits.geometriesPerDocumentMax) geometries")
            }
            entries.append(try entry(Geometry(tape: tape, at: position, system: system), system))
        } catch {
            leaveOut((error as? GeometryError)?.description ?? "\(error)")
        }
    }

    /// Counts something of the document that is left out.
    package mutating func leaveOut(_ reason: String) {
        skipped += 1
        if reasons.count < GeoLimits.reasonsMax, !reasons.contains(reason) { reasons.append(reason) }
    }

    private mutating func entry(_ geometry: Geometry, _ system: CoordinateSystem) throws(GeometryError) -> Entry {
        // A point is laid on the map sooner than it is looked for.
        guard geometry.kind != .point else { return try Self.entry(geometry, system) }
        // A list that grew or shrank at its end keeps its places.
        if known.indices.contains(entries.count), known[entries.count].written == geometry.wellKnownBinary {
            return known[entries.count]
        }
        guard spent < .seconds(GeoLimits.documentSecondsMax) else {
            throw GeometryError(
                .tooCostly, "the geometries of a document take at most \(GeoLimits.documentSecondsMax) seconds")
        }
        let start = ProcessorTime.ofThread
        defer { spent += ProcessorTime.ofThread - start }
        return try Self.entry(geometry, system)
    }

    private static func entry(_ geometry: Geometry, _ system: CoordinateSystem) throws(GeometryError) -> Entry {
        let placed =
            system == .wgs84 ? geometry : try CoordinateTransformation.between(system, and: .wgs84).transform(geometry)
        let shape = try Shape(placed)
        let written = shape.geometry == geometry ? nil : geometry.wellKnownBinary
        return Entry(boxes: shape.boxes, shape: shape.wellKnownBinary, geometry: written)
    }
}
