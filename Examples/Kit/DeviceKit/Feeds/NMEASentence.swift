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

    /// Returns the sentences of a line. Bytes before, between and after them are ignored: a device may lose a line
    /// break, and a line may begin in the middle of a sentence.
    ///
    /// - Returns: The sentences, and the number of parts of the line that are damaged. A part is damaged if it contains
    ///   the start of a sentence that has no checksum or a wrong one. If a line has no sentence, it is one such part,
    ///   unless it is empty.
    static func all(in line: some Collection<UInt8>) -> (sentences: [NMEASentence], damagedCount: Int) {
        let bytes = Array(line)
        var (sentences, damagedCount, isDamaged): ([NMEASentence], Int, Bool) = ([], 0, false)
        var offset = 0
        while let start = bytes[offset...].firstIndex(where: { starts.contains($0) }) {
            if let (sentence, count) = sentence(bytes[start...].prefix(bytesMax)) {
                sentences.append(sentence)
                damagedCount += isDamaged ? 1 : 0
                isDamaged = false
                offset = start + count
            } else {
                isDamaged = true
                offset = start + 1
            }
        }
        isDamaged = isDamaged || sentences.isEmpty && !bytes.isEmpty
        return (sentences, damagedCount + (isDamaged ? 1 : 0))
    }

    /// Parses the sentence with which the bytes start, and returns its length; `nil` if it has no checksum or a wrong
    /// one.
    private static func sentence(_ bytes: ArraySlice<UInt8>) -> (sentence: NMEASentence, count: Int)? {
        guard let star = bytes.firstIndex(of: UInt8(ascii: "*")) else { return nil }
        let end = min(bytes.endIndex, star + 1 + checksumCount)
        return NMEASentence(bytes[(bytes.startIndex + 1)..<star], checksum: bytes[(star + 1)..<end]).map {
            ($0, end - bytes.startIndex)
        }
    }

    private init?(_ checkedBytes: ArraySlice<UInt8>, checksum digitBytes: ArraySlice<UInt8>) {
        let digits = String(decoding: digitBytes, as: UTF8.self)
        guard digits.utf8.count == NMEASentence.checksumCount, digits.allSatisfy(\.isHexDigit),
            let checksum = UInt8(digits, radix: 16),
            checksum == checkedBytes.reduce(0, ^),
            !checkedBytes.isEmpty,
            checkedBytes.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { return nil }
        let parts = String(decoding: checkedBytes, as: UTF8.self).split(
            separator: ",", omittingEmptySubsequences: false)
        // An even number of dollar signs before the address does not change the checksum.
        guard parts[0].utf8.allSatisfy({ !NMEASentence.starts.contains($0) }) else { return nil }
        kind = String(parts[0].count == NMEASentence.addressCount ? parts[0].suffix(NMEASentence.kindCount) : parts[0])
        fields = Array(parts.dropFirst())
    }

    /// The bytes with which sentences start. `!` starts sentences with encapsulated data, which GPS receivers do not
    /// send by default.
    private static let starts: Set<UInt8> = [UInt8(ascii: "$"), UInt8(ascii: "!")]
    /// The maximum length of a sentence in bytes. NMEA 0183 permits 82 bytes; sentences of manufacturers are longer.
    private static let bytesMax = 1_024
    private static let checksumCount = 2
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
