//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// Texts of a GPX file: numbers, times, names and references.
enum GPXText {
    static let namespace = "http://www.topografix.com/GPX/1/1"
    static let trackPointNamespace = "http://www.garmin.com/xmlschemas/TrackPointExtension/v2"
    static let powerNamespace = "http://www.garmin.com/xmlschemas/PowerExtension/v1"
    /// The namespace of the elements with the data of a document that GPX has no elements for.
    static let ownNamespace = "urn:godwit:gpx:1"

    /// The names of elements in Godwit's own namespace that are not members of a document.
    enum Own {
        /// The id of the document.
        static let id = "document-id"
        /// Members that cannot be elements, as a JSON object.
        static let json = "json-members"
        /// The names of members, separated by spaces, that the document does not have, but that an import derives.
        static let absent = "absent-members"
        /// A track or route that is one document, with a line.
        static let line = "is-line"
        /// The elevation is the third coordinate of the geometry and no member.
        static let altitude = "is-altitude"
        /// The longitude is 180 degrees. GPX only has -180 degrees.
        static let antimeridian = "is-antimeridian"

        static let all: Set<String> = [id, json, absent, line, altitude, antimeridian]
    }

    /// Returns the number that the text of an extension element is; `nil` if it is no JSON number.
    static func number(_ text: String) -> JSONValue? {
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || first.isDigit,
            !text.utf8.contains(where: \.isBlank)
        else { return nil }
        return try? JSONValue(parsing: text)
    }

    /// Returns a number without an exponent; `nil` if it is not finite.
    static func decimal(_ value: JSONValue) -> String? {
        guard let number = value.doubleValue, number.isFinite else { return nil }
        return if case .integer(let integer) = value { String(integer) } else { decimal(number) }
    }

    /// Returns a finite number without an exponent, with the fewest digits that read back as the same number.
    static func decimal(_ number: Double) -> String {
        let text = "\(number)"
        guard let (number, exponentText) = text.cut(at: "e"), let exponent = Int(exponentText) else { return text }
        let isNegative = text.begins(with: "-")
        let parts = number.utf8.drop { $0 == UInt8(ascii: "-") }.split(separator: UInt8(ascii: ".")).map(Substring.init)
        let digits = parts.joined()
        // The number of digits before the point. A double has an exponent from -324 to 308.
        let pointOffset = parts[0].count + exponent
        let decimal: String
        if pointOffset <= 0 {
            decimal = "0." + String(repeating: "0", count: -pointOffset) + digits
        } else if pointOffset >= digits.count {
            decimal = digits + String(repeating: "0", count: pointOffset - digits.count) + ".0"
        } else {
            decimal = String(digits.prefix(pointOffset)) + "." + String(digits.dropFirst(pointOffset))
        }
        return (isNegative ? "-" : "") + decimal
    }

    /// Whether a text is a time of an XML schema, such as `2026-01-31T12:00:00Z`, with or without a fraction and a zone.
    static func isTime(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count >= timeForm.count, zip(bytes, timeForm).allSatisfy({ $1 == digit ? $0.isDigit : $0 == $1 })
        else { return false }
        let numbers = [0, 5, 8, 11, 14, 17].map { Int(text.utf8Text($0, $0 == 0 ? 4 : 2)) ?? 0 }
        guard numbers[0] > 0, (1...12).contains(numbers[1]), numbers[2] >= 1,
            numbers[2] <= dayCount(month: numbers[1], year: numbers[0]), numbers[3] < 24, numbers[4] < 60,
            numbers[5] < 60
        else { return false }
        var rest = bytes[timeForm.count...]
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: \.isDigit)
            guard !fraction.isEmpty else { return false }
            rest = rest[fraction.endIndex...]
        }
        return rest.isEmpty || rest.elementsEqual("Z".utf8) || isZone(rest)
    }

    private static let digit = UInt8(ascii: "0")
    private static let timeForm = Array("0000-00-00T00:00:00".utf8)
    private static let zoneForm = Array("00:00".utf8)

    private static func dayCount(month: Int, year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private static func isZone(_ zone: ArraySlice<UInt8>) -> Bool {
        guard zone.count == 6, zone.first == UInt8(ascii: "+") || zone.first == UInt8(ascii: "-") else { return false }
        let time = Array(zone.dropFirst())
        guard zip(time, zoneForm).allSatisfy({ $1 == digit ? $0.isDigit : $0 == $1 }) else { return false }
        let text = String(decoding: time, as: UTF8.self)
        return (Int(text.prefix(2)) ?? 99) < 14 && (Int(text.suffix(2)) ?? 99) < 60 || text == "14:00"
    }

    /// Whether a text is the same after it was written as the text of an element and read again: XML permits its
    /// characters, and it has no white space at its ends.
    static func isKept(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy(isPermitted) && Text.trimmed(text).utf8.count == text.utf8.count
    }

    private static func isPermitted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xFFFD: true
        default: scalar.value >= 0x10000
        }
    }

    /// Whether a text can be the name of an element. XML permits more names.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isLetter || first == UInt8(ascii: "_") else { return false }
        return text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "_.-".utf8.contains($0) }
    }

    /// Returns a text with references for the characters that mean something else in XML.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\r": result += "&#13;"
            case "\n": result += "&#10;"
            case "\t": result += "&#9;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns an object as JSON with only those characters that XML permits.
    static func json(_ object: JSONObject) -> String {
        JSONValue.object(object).jsonText().unicodeScalars.reduce(into: "") { text, scalar in
            if isPermitted(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            }
        }
    }
}

extension String {
    /// Returns a part of the text; the offset and the count are in bytes, and must be between characters.
    fileprivate func utf8Text(_ offset: Int, _ count: Int) -> Substring {
        let start = utf8.index(startIndex, offsetBy: offset)
        return self[start..<utf8.index(start, offsetBy: count)]
    }
}

extension UInt8 {
    /// Whether this is an ASCII letter.
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
