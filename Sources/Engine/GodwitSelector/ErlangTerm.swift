//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON

/// Formats JSON values as Erlang's `~w` prints CouchDB's terms for them. CouchDB's error reasons contain such terms.
package enum ErlangTerm {
    /// Returns the term of a value. A term of more than ``SelectorLimits/reasonArgumentBytesMax`` characters is
    /// truncated, and `...` is appended.
    ///
    /// The value must not be nested deeper than ``SelectorLimits/depthMax``.
    package static func text(of value: JSONValue) -> String {
        var text = ""
        append(value, to: &text)
        guard text.utf8.count > SelectorLimits.reasonArgumentBytesMax else { return text }
        return String(text.prefix(SelectorLimits.reasonArgumentBytesMax)) + "..."
    }

    private static func append(_ value: JSONValue, to text: inout String) {
        guard text.utf8.count <= SelectorLimits.reasonArgumentBytesMax else { return }
        switch value {
        case .null: text += "null"
        case .bool(let bool): text += bool ? "true" : "false"
        case .integer(let integer): text += String(integer)
        case .bigInteger(let digits): text += digits
        case .double(let double): text += self.text(of: double)
        case .string(let string): appendBinary(string, to: &text)
        case .array(let elements):
            text += "["
            appendList(elements, to: &text) { append($0, to: &$1) }
            text += "]"
        case .object(let members):
            text += "{["
            appendList(members, to: &text) { append($0, to: &$1) }
            text += "]}"
        }
    }

    private static func append(_ member: JSONObject.Element, to text: inout String) {
        text += "{"
        appendBinary(member.key, to: &text)
        text += ","
        append(member.value, to: &text)
        text += "}"
    }

    private static func appendBinary(_ string: String, to text: inout String) {
        text += "<<"
        appendList(string.utf8.prefix(SelectorLimits.reasonArgumentBytesMax), to: &text) { $1 += String($0) }
        text += ">>"
    }

    private static func appendList<Elements: Collection>(
        _ elements: Elements,
        to text: inout String,
        append: (Elements.Element, inout String) -> Void
    ) {
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            append(element, &text)
        }
    }

    /// Returns the shortest digits that parse as the same double, in the format of `io_lib_format:fwrite_g`: with an
    /// exponent if that is shorter.
    private static func text(of double: Double) -> String {
        guard double.isFinite, double != 0 else { return double.sign == .minus ? "-0.0" : "0.0" }
        let (digits, point) = shortestDigits(of: double.magnitude)
        return (double < 0 ? "-" : "") + text(digits: digits, point: point, magnitude: double.magnitude)
    }

    /// Returns the digits, and the position of the decimal point relative to the first digit.
    private static func shortestDigits(of magnitude: Double) -> (digits: String, point: Int) {
        let parts = magnitude.description.pieces(at: "e")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let mantissa = parts[0].pieces(at: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        let allDigits = mantissa[0] + fraction
        let leadingZeros = allDigits.prefix { $0 == "0" }.count
        var digits = allDigits.dropFirst(leadingZeros)
        while digits.last == "0" { digits.removeLast() }
        return (String(digits), mantissa[0].count + exponent - leadingZeros)
    }

    private static func text(digits: String, point: Int, magnitude: Double) -> String {
        let count = digits.count
        if point > 0, point < count { return digits.prefix(point) + "." + digits.dropFirst(point) }
        if point == 0 { return "0." + digits }
        let exponent = String(point - 1)
        let exponentCost = exponent.count + 1 + (count == 1 ? 2 : 1)
        if point < 0, 2 - point <= exponentCost {
            return "0." + String(repeating: "0", count: -point) + digits
        }
        if point > 0, point - count + 2 <= exponentCost, magnitude < 0x1p53 {
            return digits + String(repeating: "0", count: point - count) + ".0"
        }
        let fraction = count == 1 ? "0" : String(digits.dropFirst())
        return digits.prefix(1) + "." + fraction + "e" + exponent
    }
}
