//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A sentence of NMEA 0183 whose checksum is right, for example `$GPRMC,…*6A`.
struct NMEASentence {
    /// The three letters that say what it is, without those of who talks: `RMC`. A maker's own are whole.
    let kind: String
    /// What stands between the commas after the address.
    let fields: [Substring]

    /// Reads a line. What stands before its start is not looked at.
    ///
    /// - Returns: `nil` for what is no sentence: without a checksum, or with another one than the text has.
    init?(_ line: some Collection<UInt8>) {
        guard let start = line.firstIndex(where: { NMEASentence.starts.contains($0) }) else { return nil }
        let body = line[line.index(after: start)...]
        guard let star = body.firstIndex(of: UInt8(ascii: "*")) else { return nil }
        let digits = String(decoding: body[body.index(after: star)...], as: UTF8.self)
        let covered = body[..<star]
        guard digits.utf8.count == 2, let checksum = UInt8(digits, radix: 16), checksum == covered.reduce(0, ^),
            !covered.isEmpty,
            covered.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { return nil }
        let parts = String(decoding: covered, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
        kind = String(parts[0].count == NMEASentence.addressCount ? parts[0].suffix(NMEASentence.kindCount) : parts[0])
        fields = Array(parts.dropFirst())
    }

    /// The second begins sentences that hold something packed, which no receiver of positions sends of itself.
    private static let starts: Set<UInt8> = [UInt8(ascii: "$"), UInt8(ascii: "!")]
    private static let addressCount = 5
    private static let kindCount = 3

    /// A field; an empty text where the sentence is shorter.
    func field(_ place: Int) -> Substring { place < fields.count ? fields[place] : "" }

    /// Degrees of a field such as `4807.038` and the letter behind it; `nil` when that is no place on Earth.
    ///
    /// - Parameters:
    ///   - place: The first of both fields.
    ///   - degreesMax: 90 for a latitude, 180 for a longitude.
    func degrees(_ place: Int, degreesMax: Double) -> Double? {
        let (text, letter) = (field(place), field(place + 1))
        let wholeCount = degreesMax > 90 ? 3 : 2
        guard let whole = Int(text.prefix(wholeCount)), let minutes = Double(text.dropFirst(wholeCount)),
            (0..<60).contains(minutes), whole >= 0
        else { return nil }
        let degrees = Double(whole) + minutes / 60
        guard degrees <= degreesMax else { return nil }
        switch (letter, degreesMax > 90) {
        case ("N", false), ("E", true): return degrees
        case ("S", false), ("W", true): return -degrees
        default: return nil
        }
    }
}
