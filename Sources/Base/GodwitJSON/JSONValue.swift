//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Any JSON value.
///
/// Integers of any length are exact: an integer that fits into 64 bits is an ``integer(_:)``, and any other integer is
/// a ``bigInteger(_:)``. A number written with a fraction or an exponent is a ``double(_:)``; `1` and `1.0` are
/// different values. Strings are equal if they have the same Unicode scalars. Swift's own `==` differs: it treats
/// composed and decomposed letters as equal, which no other JSON implementation does.
///
/// ```swift
/// var bird: JSONValue = ["name": "Limosa lapponica", "legs": 2, "flights": [11_680.5]]
/// bird["legs"]?.intValue       // 2
/// bird["rings"] = ["Z0", "4Y"]
/// bird.jsonText()              // {"name":"Limosa lapponica","legs":2,"flights":[11680.5],"rings":["Z0","4Y"]}
/// ```
///
/// Values are built, written, compared and hashed without recursion, but the release of a value is recursive. Do not
/// build values deeper than ``JSONLimits/valueDepthMax``, which is also the limit for parsing.
public enum JSONValue: Sendable {
    /// The literal `null`.
    case null
    /// A boolean.
    case bool(Bool)
    /// A number without fraction and exponent that fits into 64 bits.
    case integer(Int64)
    /// A number without fraction and exponent that does not fit into 64 bits: its decimal digits, after a minus sign if
    /// the number is negative. If the string is not such a number, the value is written as `null`.
    case bigInteger(String)
    /// Any other number. An infinity or NaN is written as `null`.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue {
    /// Parses a JSON text. If several members of an object have the same name, the last one is used.
    ///
    /// - Parameters:
    ///   - bytes: The text as UTF-8.
    ///   - limits: The maximum depth and length. The depth is also limited to ``JSONLimits/valueDepthMax``.
    /// - Throws: ``JSONError`` with the offset of the first error.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        var limits = limits
        limits.depthMax = min(limits.depthMax, JSONLimits.valueDepthMax)
        self = try JSONTape(scanning: bytes, limits: limits).value(0)
    }

    /// Parses a JSON text. If several members of an object have the same name, the last one is used.
    ///
    /// - Parameters:
    ///   - text: The text. Offsets in errors count bytes of its UTF-8.
    ///   - limits: The maximum depth and length. The depth is also limited to ``JSONLimits/valueDepthMax``.
    /// - Throws: ``JSONError`` with the offset of the first error.
    public init(parsing text: String, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// Returns the value as JSON in UTF-8, without white space, with members in their order.
    ///
    /// A double is written with the fewest digits that read back as the same double. It is always written with a
    /// fraction or an exponent, so that it does not read back as an integer. Infinities and NaN are written as `null`,
    /// because JSON cannot express them.
    public func jsonBytes() -> [UInt8] {
        var output: [UInt8] = []
        JSONWriter.append(self, to: &output)
        return output
    }

    /// Returns the value as JSON text; see ``jsonBytes()``.
    public func jsonText() -> String {
        String(decoding: jsonBytes(), as: UTF8.self)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON text.
    public var description: String { jsonText() }
}
