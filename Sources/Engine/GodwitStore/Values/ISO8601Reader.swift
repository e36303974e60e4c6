//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The parsed components of an ISO 8601 time.
struct ISO8601Reader {
    private(set) var year = 0
    private(set) var month = 0
    private(set) var day = 0
    /// The seconds since midnight of the parsed date in UTC. If the time has an offset, the number may be negative or
    /// exceed a day.
    private(set) var secondOfDay = 0
    /// The fractional digits of the second.
    var fraction: [UInt8] = []

    private var rest: Substring.UTF8View

    /// Parses a text such as `2026-05-02T08:00:00.5Z`; `nil` for any other text. The number of days of the month is not
    /// checked.
    static func read(_ text: String) -> ISO8601Reader? {
        var reader = ISO8601Reader(rest: text[...].utf8)
        return reader.readDate() && reader.readTime() && reader.readOffset() && reader.rest.isEmpty ? reader : nil
    }

    private init(rest: Substring.UTF8View) {
        self.rest = rest
    }

    private mutating func readDate() -> Bool {
        guard let year = number(4, upTo: 9_999), skip("-"), let month = number(2, upTo: 12), month > 0, skip("-"),
            let day = number(2, upTo: 31), skip("T") || skip("t")
        else { return false }
        (self.year, self.month, self.day) = (year, month, day)
        return true
    }

    private mutating func readTime() -> Bool {
        guard let hour = number(2, upTo: 23), skip(":"), let minute = number(2, upTo: 59), skip(":"),
            let second = number(2, upTo: 59)
        else { return false }
        secondOfDay = hour * 3_600 + minute * 60 + second
        guard skip(".") else { return true }
        fraction = Array(rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        rest = rest.dropFirst(fraction.count)
        return !fraction.isEmpty
    }

    private mutating func readOffset() -> Bool {
        if skip("Z") || skip("z") { return true }
        let isAhead = skip("+")
        guard isAhead || skip("-"), let hours = number(2, upTo: 23), skip(":"), let minutes = number(2, upTo: 59) else {
            return false
        }
        let offset = hours * 3_600 + minutes * 60
        secondOfDay -= isAhead ? offset : -offset
        return true
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func number(_ digits: Int, upTo numberMax: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = rest.popFirst(), UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value <= numberMax ? value : nil
    }
}
