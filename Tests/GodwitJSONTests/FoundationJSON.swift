//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON

/// Compares the result of Foundation's parser with the library's, for texts on which both should agree.
enum FoundationJSON {
    /// The maximum depth for Foundation, with a margin.
    static let depthMax = 500

    /// Returns the problem when Foundation accepts a text that was refused; otherwise `nil`.
    static func problem(withRefused bytes: [UInt8], as error: JSONError) -> String? {
        let compared: [JSONError.Code] = [.syntax, .unexpectedEnd, .invalidUTF8]
        guard compared.contains(error.code), !looksEncoded(bytes), !isBehindComma(error.offset, in: bytes),
            read(bytes) != nil
        else { return nil }
        return "Foundation takes what is refused as \(error)"
    }

    /// Returns the problem when Foundation reads another value from an accepted text; otherwise `nil`.
    static func problem(with value: JSONValue, of bytes: [UInt8]) -> String? {
        // Foundation drops a byte order mark at the start of a string.
        guard bytes.firstRange(of: byteOrderMark) == nil else { return nil }
        guard let found = read(bytes) else { return "Foundation refuses what is accepted" }
        return difference(value, found)
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func read(_ bytes: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    }

    /// Whether Foundation reads the text as UTF-16 or UTF-32, or skips a byte order mark.
    private static func looksEncoded(_ bytes: [UInt8]) -> Bool {
        bytes.prefix(4).contains(0) || bytes.starts(with: byteOrderMark) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.starts(with: [0xFF, 0xFE])
    }

    /// Whether a container ends at the offset, after a comma. Foundation accepts such a comma.
    private static func isBehindComma(_ offset: Int, in bytes: [UInt8]) -> Bool {
        guard offset < bytes.count, [UInt8(ascii: "]"), UInt8(ascii: "}")].contains(bytes[offset]) else { return false }
        let before = bytes[..<offset].last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return before == UInt8(ascii: ",")
    }

    private static func difference(_ value: JSONValue, _ found: Any) -> String? {
        switch value {
        case .null: return found is NSNull ? nil : "null is \(type(of: found))"
        case .bool(let isTrue):
            let number = found as? NSNumber
            return number.map(isBool) == true && number?.boolValue == isTrue ? nil : "\(isTrue) is \(found)"
        case .integer(let number):
            return (found as? NSNumber)?.int64Value == number ? nil : "\(number) is \(found)"
        case .bigInteger(let digits): return difference(Double(digits) ?? .nan, found)
        case .double(let number): return difference(number, found)
        case .string(let text):
            guard let other = found as? String else { return "a string is \(type(of: found))" }
            return other.utf8.elementsEqual(text.utf8) ? nil : "a string of \(text.utf8.count) bytes is another one"
        case .array(let elements):
            guard let others = found as? [Any], others.count == elements.count else { return "an array is another one" }
            return zip(elements, others).lazy.compactMap { difference($0, $1) }.first
        case .object(let members): return difference(members, found)
        }
    }

    private static func difference(_ members: JSONObject, _ found: Any) -> String? {
        guard let others = found as? [String: Any] else { return "an object is \(type(of: found))" }
        // Keys that are equal as Swift strings are two members here and one in Foundation.
        guard Set(members.keys).count == members.count else { return nil }
        guard others.count == members.count else { return "\(members.count) members are \(others.count)" }
        return members.lazy.compactMap { key, value in
            others[key].map { difference(value, $0) } ?? "a member is missing"
        }.first
    }

    private static func difference(_ number: Double, _ found: Any) -> String? {
        guard let other = found as? NSNumber, !isBool(other) else { return "a number is \(type(of: found))" }
        // Foundation computes with decimals, which loses the last digits; `NumberTests` checks the library's digits.
        let isNear = abs(other.doubleValue - number) <= abs(number) * 1e-14
        return isNear ? nil : "\(number) is \(other.doubleValue)"
    }

    private static func isBool(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
}
