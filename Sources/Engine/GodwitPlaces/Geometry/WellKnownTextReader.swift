//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Parses well-known text.
struct WellKnownTextReader {
    /// The number of coordinates of a position, and whether the last coordinate is a measure.
    private struct Layout {
        var coordinateCount: Int?
        var hasMeasureAlone = false
    }

    private let bytes: [UInt8]
    private let system: CoordinateSystem
    private var offset = 0
    private var positionsLeft = GeometryLimits.positionsMax

    init(_ text: String, system: CoordinateSystem) {
        bytes = Array(text.utf8)
        self.system = system
    }

    mutating func geometry(depth: Int = 1) throws(GeometryError) -> Geometry {
        let (kind, layout) = try header()
        if kind == .geometryCollection { return try collection(depth: depth) }
        var builder = GeometryBuilder(system: system, positionsLeft: positionsLeft)
        switch kind {
        case .point: try parenthesized { (self) throws(GeometryError) in try self.position(layout, into: &builder) }
        case .multiPoint: try multiPoint(layout, into: &builder)
        case .lineString: try line(layout, into: &builder)
        case .multiLineString:
            try list { (self) throws(GeometryError) in try self.line(layout, into: &builder) }
        case .polygon: try rings(layout, into: &builder)
        default:
            try list { (self) throws(GeometryError) in
                try self.rings(layout, into: &builder)
                try builder.endPolygon()
            }
        }
        let geometry = try builder.finish(kind)
        positionsLeft -= geometry.positionCount
        return geometry
    }

    mutating func expectEnd() throws(GeometryError) {
        skipWhiteSpace()
        guard offset == bytes.count else { throw invalid("the end of the text") }
    }

    // MARK: Kinds

    private mutating func collection(depth: Int) throws(GeometryError) -> Geometry {
        guard depth < GeometryLimits.nestingMax else {
            throw GeometryError(.tooDeep, "collections may be nested at most \(GeometryLimits.nestingMax) levels deep")
        }
        var members: [Geometry] = []
        try list { (self) throws(GeometryError) in members.append(try self.geometry(depth: depth + 1)) }
        return try GeometryBuilder.collection(of: members)
    }

    /// Parses points with or without separate parentheses.
    private mutating func multiPoint(_ layout: Layout, into builder: inout GeometryBuilder) throws(GeometryError) {
        try list { (self) throws(GeometryError) in
            if self.nextByte == UInt8(ascii: "(") {
                try self.parenthesized { (self) throws(GeometryError) in try self.position(layout, into: &builder) }
            } else {
                try self.position(layout, into: &builder)
            }
        }
    }

    private mutating func line(_ layout: Layout, into builder: inout GeometryBuilder) throws(GeometryError) {
        try list { (self) throws(GeometryError) in try self.position(layout, into: &builder) }
        try builder.endLine()
    }

    private mutating func rings(_ layout: Layout, into builder: inout GeometryBuilder) throws(GeometryError) {
        try list { (self) throws(GeometryError) in
            try self.list { (self) throws(GeometryError) in try self.position(layout, into: &builder) }
            try builder.endRing()
        }
    }

    private mutating func position(_ layout: Layout, into builder: inout GeometryBuilder) throws(GeometryError) {
        var position: InlineArray<4, Double> = .init(repeating: 0)
        var count = 0
        while let number = try number() {
            guard count < 4 else { throw invalid("2 to 4 numbers") }
            position[count] = number
            count += 1
        }
        let expected = layout.coordinateCount ?? count
        guard count >= 2, count == expected else {
            throw invalid(layout.coordinateCount.map { "\($0) numbers" } ?? "2 to 4 numbers")
        }
        try builder.append(position, count: layout.hasMeasureAlone ? 2 : count)
    }

    // MARK: Words, numbers and parentheses

    private mutating func header() throws(GeometryError) -> (Geometry.Kind, Layout) {
        var word = word()
        var layout = Layout()
        for kind in Geometry.Kind.allCases.reversed() {
            let name = kind.name.uppercased()
            guard word.utf8.starts(with: name.utf8) else { continue }
            word.removeFirst(name.count)
            if word.isEmpty { word = self.word() }
            switch word {
            case "": break
            case "Z": layout.coordinateCount = 3
            case "M": layout = Layout(coordinateCount: 3, hasMeasureAlone: true)
            case "ZM": layout.coordinateCount = 4
            case "EMPTY": throw Self.empty
            default: throw invalid("Z, M, ZM or a parenthesis")
            }
            if try isEmpty() { throw Self.empty }
            return (kind, layout)
        }
        throw GeometryError(.invalidText, "the text does not begin with a kind of geometry")
    }

    private mutating func isEmpty() throws(GeometryError) -> Bool {
        let start = offset
        if word() == "EMPTY" { return true }
        offset = start
        return false
    }

    private static let empty = GeometryError(.empty, "a geometry needs a position, but EMPTY has none")

    private mutating func list(
        _ element: (inout WellKnownTextReader) throws(GeometryError) -> Void
    ) throws(GeometryError) {
        try parenthesized { (self) throws(GeometryError) in
            try element(&self)
            while self.skipIfNext(UInt8(ascii: ",")) { try element(&self) }
        }
    }

    private mutating func parenthesized(
        _ body: (inout WellKnownTextReader) throws(GeometryError) -> Void
    ) throws(GeometryError) {
        if try isEmpty() { throw Self.empty }
        guard skipIfNext(UInt8(ascii: "(")) else { throw invalid("an opening parenthesis") }
        if try isEmpty() { throw Self.empty }
        try body(&self)
        guard skipIfNext(UInt8(ascii: ")")) else { throw invalid("a comma or a closing parenthesis") }
    }

    /// The next byte that is not white space; `nil` at the end.
    private var nextByte: UInt8? {
        mutating get {
            skipWhiteSpace()
            return offset < bytes.count ? bytes[offset] : nil
        }
    }

    /// Skips white space, and then the given byte if it follows. Returns whether the byte was skipped.
    private mutating func skipIfNext(_ byte: UInt8) -> Bool {
        guard nextByte == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipWhiteSpace() {
        while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
    }

    /// Reads the next letters, in upper case.
    private mutating func word() -> String {
        skipWhiteSpace()
        let start = offset
        while offset < bytes.count, (0x41...0x5A).contains(bytes[offset] & 0xDF) { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self).uppercased()
    }

    /// Reads the next number; `nil` before a comma or a closing parenthesis, and at the end.
    private mutating func number() throws(GeometryError) -> Double? {
        guard let first = nextByte, first != UInt8(ascii: ","), first != UInt8(ascii: ")") else { return nil }
        let start = offset
        while offset < bytes.count, Self.isNumeric(bytes[offset]) { offset += 1 }
        guard let number = Double(String(decoding: bytes[start..<offset], as: UTF8.self)) else {
            throw invalid("a number")
        }
        return number
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+") || byte | 0x20 == UInt8(ascii: "e")
    }

    private func invalid(_ expected: String) -> GeometryError {
        GeometryError(.invalidText, "expected \(expected) at byte \(offset) of the well-known text")
    }
}
