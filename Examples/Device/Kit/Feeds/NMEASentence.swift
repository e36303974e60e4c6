//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A sentence of NMEA 0183 with a correct checksum, for example `$GPRMC,…*6A`.
struct NMEASentence {
    /// The type of the sentence. If the address has five characters, this is its last three characters, for example
    /// `RMC`. The first two are the talker. If the address has another length, this is the complete address.
    let kind: String
    /// The fields after the address. In the sentence, commas separate them.
    let fields: [Substring]

    /// Parses a line. Bytes before the start of the sentence are ignored.
    ///
    /// - Returns: `nil` when the line is not a sentence, or has no checksum or a wrong one.
    init?(_ line: some Collection<UInt8>) {
        guard let start = line.firstIndex(where: { NMEASentence.starts.contains($0) }) else { return nil }
        let body = line[line.index(after: start)...]
        guard let star = body.firstIndex(of: UInt8(ascii: "*")) else { return nil }
        let digits = String(decoding: body[body.index(after: star)...], as: UTF8.self)
        let checkedBytes = body[..<star]
        guard digits.utf8.count == 2, let checksum = UInt8(digits, radix: 16), checksum == checkedBytes.reduce(0, ^),
            !checkedBytes.isEmpty,
            checkedBytes.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { return nil }
        let parts = String(decoding: checkedBytes, as: UTF8.self).split(
            separator: ",", omittingEmptySubsequences: false)
        kind = String(parts[0].count == NMEASentence.addressCount ? parts[0].suffix(NMEASentence.kindCount) : parts[0])
        fields = Array(parts.dropFirst())
    }

    /// The bytes with which sentences start. `!` starts sentences with encapsulated data, which GPS receivers do not
    /// send by default.
    private static let starts: Set<UInt8> = [UInt8(ascii: "$"), UInt8(ascii: "!")]
    private static let addressCount = 5
    private static let kindCount = 3

    /// Returns a field; an empty text when the sentence has fewer fields.
    func field(_ index: Int) -> Substring { index < fields.count ? fields[index] : "" }

    /// Returns the degrees that two fields mean: a field such as `4807.038`, and the next field, which contains a
    /// letter. `nil` when the fields are not valid.
    ///
    /// - Parameters:
    ///   - index: The index of the field with the degrees.
    ///   - degreesMax: 90 for a latitude, 180 for a longitude.
    func degrees(_ index: Int, degreesMax: Double) -> Double? {
        let (text, letter) = (field(index), field(index + 1))
        let degreeDigits = degreesMax > 90 ? 3 : 2
        guard let wholeDegrees = Int(text.prefix(degreeDigits)), let minutes = Double(text.dropFirst(degreeDigits)),
            (0..<60).contains(minutes), wholeDegrees >= 0
        else { return nil }
        let degrees = Double(wholeDegrees) + minutes / 60
        guard degrees <= degreesMax else { return nil }
        switch (letter, degreesMax > 90) {
        case ("N", false), ("E", true): return degrees
        case ("S", false), ("W", true): return -degrees
        default: return nil
        }
    }
}
