//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Any JSON value.
///
/// Integers are exact at any length: ``integer(_:)`` up to 64 bits, ``bigInteger(_:)`` beyond. A number written with a
/// fraction or an exponent is a ``double(_:)``; `1` and `1.0` are two values. Strings are equal when their Unicode
/// scalars are: other than with Swift's own `==`, composed and decomposed letters differ, as they do for every other
/// JSON implementation.
///
/// ```swift
/// var bird: JSONValue = ["name": "Limosa lapponica", "legs": 2, "flights": [11_680.5]]
/// bird["legs"]?.intValue       // 2
/// bird["rings"] = ["Z0", "4Y"]
/// bird.jsonText()              // {"name":"Limosa lapponica","legs":2,"flights":[11680.5],"rings":["Z0","4Y"]}
/// ```
///
/// Values are built, written, compared and hashed without recursion; only dropping one uses the thread's stack. Build
/// none deeper than ``JSONLimits/valueDepthMax``, the depth to which parsing goes.
public enum JSONValue: Sendable {
    /// The literal `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number written without fraction and exponent, in 64 bits.
    case integer(Int64)
    /// Such a number beyond 64 bits: its decimal digits, with a minus sign before them if need be.
    case bigInteger(String)
    /// Any other number. One that is not finite is written as `null`.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue {
    /// Reads a JSON text; of duplicate members the last wins.
    ///
    /// - Parameters:
    ///   - bytes: The text as UTF-8.
    ///   - limits: How deep and how long it may be. Deeper than ``JSONLimits/valueDepthMax`` is refused in any case.
    /// - Throws: ``JSONError`` with the offset of the first mistake.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        var limits = limits
        limits.depthMax = min(limits.depthMax, JSONLimits.valueDepthMax)
        self = try JSONTape(scanning: bytes, limits: limits).value(0)
    }

    /// Reads a JSON text; of duplicate members the last wins.
    ///
    /// - Parameters:
    ///   - text: The text. Offsets in errors count bytes of its UTF-8.
    ///   - limits: How deep and how long it may be. Deeper than ``JSONLimits/valueDepthMax`` is refused in any case.
    /// - Throws: ``JSONError`` with the offset of the first mistake.
    public init(parsing text: String, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// The value as JSON, without white space, members in their order.
    ///
    /// A double with an integral value keeps its `.0`, so that it reads back as a double; any other takes the fewest
    /// digits that read back as the same one. Doubles that are not finite are written as `null`: JSON has no word for
    /// them.
    public func jsonBytes() -> [UInt8] {
        var output: [UInt8] = []
        JSONWriter.append(self, to: &output)
        return output
    }

    /// The value as JSON text; see ``jsonBytes()``.
    public func jsonText() -> String {
        String(decoding: jsonBytes(), as: UTF8.self)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON text.
    public var description: String { jsonText() }
}
