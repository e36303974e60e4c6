//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The nine dimensions of the DE-9IM: -1 if two parts do not intersect, and 0, 1 or 2 if they intersect in points,
/// lines or areas.
struct IntersectionMatrix: Equatable {
    enum Part: Int {
        case interior, boundary, exterior
    }

    private var dimensions: [Int]

    init() { dimensions = Array(repeating: -1, count: 9) }

    /// Creates a matrix from GEOS's letters: `F`, `0`, `1`, `2`.
    init(letters: [CChar]) {
        dimensions = letters.prefix(9).map { $0 == 0x46 ? -1 : Int($0) - 0x30 }
    }

    subscript(_ first: Part, _ second: Part) -> Int {
        get { dimensions[first.rawValue * 3 + second.rawValue] }
        set { dimensions[first.rawValue * 3 + second.rawValue] = newValue }
    }

    /// Sets an element to a dimension if its current value is smaller.
    mutating func raise(_ first: Part, _ second: Part, to dimension: Int) {
        self[first, second] = max(self[first, second], dimension)
    }

    /// Whether a relation holds between geometries of the given topological dimensions.
    func holds(_ relation: Relation, dimensions firstDimension: Int, _ secondDimension: Int) -> Bool {
        let interiors = self[.interior, .interior]
        let intersects =
            interiors >= 0 || self[.interior, .boundary] >= 0 || self[.boundary, .interior] >= 0
            || self[.boundary, .boundary] >= 0
        let firstExceeds = self[.interior, .exterior] >= 0
        let secondExceeds = self[.exterior, .interior] >= 0
        let isCoveredBy = intersects && !firstExceeds && self[.boundary, .exterior] < 0
        let covers = intersects && !secondExceeds && self[.exterior, .boundary] < 0
        switch relation {
        case .none, .intersects: return intersects
        case .disjoint: return !intersects
        case .covers: return covers
        case .coveredBy: return isCoveredBy
        case .contains: return covers && interiors >= 0
        case .within: return isCoveredBy && interiors >= 0
        case .containsProperly:
            return covers && interiors >= 0 && self[.boundary, .interior] < 0 && self[.boundary, .boundary] < 0
        case .touches: return intersects && interiors < 0
        case .crosses:
            if firstDimension < secondDimension { return interiors >= 0 && firstExceeds }
            if firstDimension > secondDimension { return interiors >= 0 && secondExceeds }
            return firstDimension == 1 && interiors == 0
        case .overlaps:
            return firstDimension == secondDimension && firstExceeds && secondExceeds
                && (firstDimension == 1 ? interiors == 1 : interiors >= 0)
        }
    }
}
