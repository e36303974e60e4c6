//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The elements of a point in a GPX file, and the members of its document for them.
///
/// Sources: the schema of GPX 1.1 (topografix.com/GPX/1/1/gpx.xsd), and Garmin's schemas `TrackPointExtensionv2` and
/// `PowerExtensionv1`.
struct GPXField {
    /// The form of an element's text.
    enum Form: Equatable {
        case text
        /// A time in ISO 8601, or, in a file that is read, any text.
        case time
        /// A number without an exponent.
        case decimal
        /// A number without an exponent, at least 0 and less than 360.
        case degrees
        /// Any number. In a file that is read, a number without a fraction is an integer.
        case number
        /// An integer within a range.
        case integer(ClosedRange<Int64>)
        /// One of several words.
        case word([String])
    }

    /// The local name of the element.
    let element: String
    /// The name of the member.
    let member: String
    let form: Form

    init(_ element: String, _ member: String, _ form: Form) {
        (self.element, self.member, self.form) = (element, member, form)
    }

    /// The elements before and after the links, in the order of the schema.
    static let beforeLinks = [
        GPXField("ele", "elevation", .decimal), GPXField("time", "time", .time),
        GPXField("magvar", "magneticVariation", .degrees), GPXField("geoidheight", "geoidHeight", .decimal),
        GPXField("name", "name", .text), GPXField("cmt", "comment", .text), GPXField("desc", "description", .text),
        GPXField("src", "source", .text),
    ]
    static let afterLinks = [
        GPXField("sym", "symbol", .text), GPXField("type", "type", .text),
        GPXField("fix", "fix", .word(["none", "2d", "3d", "dgps", "pps"])),
        GPXField("sat", "satellites", .integer(0...Int64.max)), GPXField("hdop", "hdop", .decimal),
        GPXField("vdop", "vdop", .decimal), GPXField("pdop", "pdop", .decimal),
        GPXField("ageofdgpsdata", "ageOfDGPSData", .decimal), GPXField("dgpsid", "dgpsID", .integer(0...1_023)),
    ]

    /// The elements of Garmin's `TrackPointExtension`, in the order of its schema.
    static let trackPoint = [
        GPXField("atemp", "temperature", .number), GPXField("wtemp", "waterTemperature", .number),
        GPXField("depth", "depth", .number), GPXField("hr", "heartRate", .integer(1...255)),
        GPXField("cad", "cadence", .integer(0...254)), GPXField("speed", "speed", .number),
        GPXField("course", "course", .degrees), GPXField("bearing", "bearing", .degrees),
    ]
    /// The element of Garmin's `PowerExtension`.
    static let power = GPXField("PowerInWatts", "power", .integer(0...65_535))

    static let standard = Dictionary(
        uniqueKeysWithValues: (beforeLinks + afterLinks).map { ($0.element, $0) })

    /// The members for measurements, by the local names that programs use for them, in lowercase letters.
    static let measurements: [String: String] = [
        "hr": "heartRate", "heartrate": "heartRate", "cad": "cadence", "cadence": "cadence", "atemp": "temperature",
        "temp": "temperature", "temperature": "temperature", "wtemp": "waterTemperature", "depth": "depth",
        "power": "power", "watts": "power", "powerinwatts": "power", "speed": "speed", "course": "course",
        "bearing": "bearing",
    ]

    /// Returns the value of a standard element's text; `nil` if it has no value of its form.
    func value(of text: String) -> JSONValue? {
        guard !text.isEmpty else { return nil }
        return switch form {
        case .text, .time, .word: .string(text)
        case .decimal, .degrees: Text.number(text).map { .double($0) }
        case .number, .integer: Int64(text).map { .integer($0) }
        }
    }

    /// Returns the text of an element with a value; `nil` if the schema does not permit it.
    func text(of value: JSONValue) -> String? {
        switch (form, value) {
        case (.text, .string(let text)): return text.isEmpty || !GPXText.isKept(text) ? nil : text
        case (.time, .string(let text)): return GPXText.isTime(text) ? text : nil
        // Exact: the words of the schema are ASCII.
        case (.word(let words), .string(let text)): return words.contains(text) ? text : nil
        case (.integer(let range), .integer(let number)): return range.contains(number) ? String(number) : nil
        case (.number, .integer), (.number, .double): return value.isFinite ? value.jsonText() : nil
        case (.decimal, .integer), (.decimal, .double): return GPXText.decimal(value)
        case (.degrees, .integer), (.degrees, .double):
            return (0..<360).contains(value.doubleValue ?? -1) ? GPXText.decimal(value) : nil
        default: return nil
        }
    }
}

extension JSONValue {
    fileprivate var isFinite: Bool { doubleValue?.isFinite ?? false }
}
