//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitPlaces

/// Parses the parameters of a geospatial query as values of their types. The value of a missing parameter is `nil` or
/// an empty list.
struct GeoParameterReader {
    private let target: RequestTarget

    init(_ target: RequestTarget) { self.target = target }

    /// Returns the value of a parameter that may have several names. If the query contains several of these names, the
    /// value of the first in `names` is used.
    func value(_ names: String...) -> (name: String, text: String)? { value(names) }

    private func value(_ names: [String]) -> (name: String, text: String)? {
        for name in names { if let text = target.value(name) { return (name, text) } }
        return nil
    }

    func number(_ names: String...) throws(HTTPFailure) -> (name: String, value: Double)? {
        guard let (name, text) = value(names) else { return nil }
        guard let number = Self.number(text) else { throw Self.invalid("float", name, text) }
        return (name, number)
    }

    func count(_ names: String...) throws(HTTPFailure) -> Int? {
        guard let (name, text) = value(names) else { return nil }
        guard let number = Int(text), number >= 0 else { throw Self.invalid("positive integer", name, text) }
        return number
    }

    func flag(_ name: String) throws(HTTPFailure) -> Bool? {
        guard let (name, text) = value(name) else { return nil }
        guard text == "true" || text == "false" else { throw Self.invalid("boolean", name, text) }
        return text == "true"
    }

    func system(_ names: String...) throws(HTTPFailure) -> CoordinateSystem? {
        guard let (name, text) = value(names) else { return nil }
        do {
            let system = try CoordinateSystem(parsing: text)
            _ = try CoordinateTransformation.between(system, and: .wgs84)
            return system
        } catch {
            throw Self.invalid("srid", name, text, error.message)
        }
    }

    func relation() throws(HTTPFailure) -> Relation? {
        guard let (name, text) = value("relation", "filter") else { return nil }
        guard let relation = Relation(rawValue: text.lowercased()) else {
            throw Self.invalid("filter name", name, text)
        }
        return relation
    }

    /// Returns the coordinates of the corners in `bbox`.
    func corners() throws(HTTPFailure) -> [Double]? {
        guard let (name, text) = value("bbox") else { return nil }
        let numbers = text.pieces(at: ",", omittingEmptySubsequences: false).map {
            Self.number($0.filter { $0 != " " })
        }
        guard [4, 6, 8].contains(numbers.count), case let coordinates = numbers.compactMap(\.self),
            coordinates.count == numbers.count
        else { throw Self.invalid("bounding box", name, text) }
        return coordinates
    }

    /// Returns the ranges of the coordinates in `bbox` that follow the first two, for example the range of heights.
    func heights() throws(HTTPFailure) -> [ClosedRange<Double>] {
        guard let corners = try corners() else { return [] }
        let count = corners.count / 2
        return (2..<max(2, count)).map { axis in
            min(corners[axis], corners[axis + count])...max(corners[axis], corners[axis + count])
        }
    }

    /// Creates the error of an invalid value.
    static func invalid(_ type: String, _ name: String, _ text: String, _ reason: String? = nil) -> HTTPFailure {
        let shortened = text.utf8.count > shownBytesMax ? String(text.prefix(shownBytesMax)) + "…" : text
        let value = JSONValue.string(shortened).jsonText()
        return .badQuery("Invalid \(type) value for \(name): '\(value)'" + (reason.map { ". \($0)" } ?? ""))
    }

    /// The maximum length of a value in an error, in bytes.
    private static let shownBytesMax = 200

    private static func number(_ text: some StringProtocol) -> Double? {
        // Other characters are refused first, because Swift would also parse hexadecimal numbers.
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text), number.isFinite
        else { return nil }
        return number
    }
}
