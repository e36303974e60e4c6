//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A straight edge on a map.
struct PlaneEdge {
    let start: Position
    let end: Position

    var west: Double { min(start.x, end.x) }
    var east: Double { max(start.x, end.x) }
    var south: Double { min(start.y, end.y) }
    var north: Double { max(start.y, end.y) }

    /// The side of the edge on which a position is: 1 is left of it, -1 right of it, and 0 on the line through it. The
    /// answer is exact.
    func side(_ position: Position) -> Int {
        let left = (start.x - position.x) * (end.y - position.y)
        let right = (start.y - position.y) * (end.x - position.x)
        let difference = left - right
        // The error of the three differences, the two products and the last difference.
        if abs(difference) > 4e-16 * (abs(left) + abs(right)) { return difference > 0 ? 1 : -1 }
        return exactSide(position)
    }

    /// Whether a position on the line through the edge is on the edge.
    func reaches(_ position: Position) -> Bool {
        west <= position.x && position.x <= east && south <= position.y && position.y <= north
    }

    func contains(_ position: Position) -> Bool { reaches(position) && side(position) == 0 }

    func mayMeet(_ other: PlaneEdge) -> Bool {
        west <= other.east && other.west <= east && south <= other.north && other.south <= north
    }

    /// How two edges meet.
    enum Meeting {
        case apart
        /// At a point inside both edges, which has no name.
        case crossing
        /// At an end of one of them, or along a part.
        case touching(isCollinear: Bool)
    }

    func meeting(_ other: PlaneEdge) -> Meeting {
        guard mayMeet(other) else { return .apart }
        let (first, second) = (side(other.start), side(other.end))
        guard first * second <= 0 else { return .apart }
        let (third, fourth) = (other.side(start), other.side(end))
        guard third * fourth <= 0 else { return .apart }
        if first * second < 0, third * fourth < 0 { return .crossing }
        return .touching(isCollinear: first == 0 && second == 0)
    }

    private func exactSide(_ position: Position) -> Int {
        var terms: [Double] = []
        func add(_ one: (Double, Double), _ other: (Double, Double), _ sign: Double) {
            for left in [one.0, one.1] {
                for right in [other.0, other.1] {
                    let product = left * right
                    terms += [sign * product, sign * (-product).addingProduct(left, right)]
                }
            }
        }
        add(Self.difference(start.x, position.x), Self.difference(end.y, position.y), 1)
        add(Self.difference(start.y, position.y), Self.difference(end.x, position.x), -1)
        // The exact sum, as numbers of which each is smaller than the last digit of the next.
        var sum: [Double] = []
        for term in terms {
            var carry = term
            for index in sum.indices {
                let total = carry + sum[index]
                let part = total - carry
                sum[index] = (carry - (total - part)) + (sum[index] - part)
                carry = total
            }
            sum.append(carry)
        }
        let sign = sum.last { $0 != 0 } ?? 0
        return sign > 0 ? 1 : sign < 0 ? -1 : 0
    }

    /// Returns the rounded difference of two numbers, and its error.
    private static func difference(_ one: Double, _ other: Double) -> (Double, Double) {
        let difference = one - other
        let part = one - difference
        return (difference, (one - (difference + part)) + (part - other))
    }
}
