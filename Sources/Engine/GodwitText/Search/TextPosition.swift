//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// The statistics that scores are computed from, at the start of a search.
struct TextStatistics: Sendable, Equatable {
    var documents: Int64 = 0
    /// The average length in words.
    var averageLength: Double = 1
    /// For each phrase of the expression, the number of documents that contain it.
    var frequencies: [Int64] = []
}

/// The position at the end of a page of hits, with all data that the next page needs to rank consistently.
///
/// The position contains the statistics of the first page, so that an unchanged document has the same score on every
/// page. It also contains the sequence of the first page, so that documents that were edited later are recognized and
/// keep their rank.
package struct TextPosition: Sendable, Equatable {
    let sequence: Int64
    let statistics: TextStatistics
    let score: Double
    let number: Int64

    init(sequence: Int64, statistics: TextStatistics, score: Double, number: Int64) {
        self.sequence = sequence
        self.statistics = statistics
        self.score = score
        self.number = number
    }

    /// The position as bytes, for a bookmark.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        let numbers = [
            UInt64(bitPattern: sequence), UInt64(bitPattern: statistics.documents),
            statistics.averageLength.bitPattern, score.bitPattern, UInt64(bitPattern: number),
            UInt64(clamping: statistics.frequencies.count),
        ]
        for number in numbers + statistics.frequencies.map(UInt64.init(bitPattern:)) {
            writer.append(bits: number)
        }
        return writer.bytes
    }

    /// Decodes a position.
    ///
    /// The caller must check that the position belongs to the query and the index.
    ///
    /// - Throws: ``TextError`` when the bytes are not a valid position.
    package init(bytes: [UInt8]) throws(TextError) {
        guard bytes.count <= TextLimits.placeBytesMax, let words = Self.words(of: bytes), words.count >= 6,
            words[5] == UInt64(clamping: words.count - 6)
        else { throw .invalidPlace }
        sequence = Int64(bitPattern: words[0])
        statistics = TextStatistics(
            documents: Int64(bitPattern: words[1]), averageLength: Double(bitPattern: words[2]),
            frequencies: words[6...].map { Int64(bitPattern: $0) })
        score = Double(bitPattern: words[3])
        number = Int64(bitPattern: words[4])
        let doubles = [score, statistics.averageLength]
        guard doubles.allSatisfy(\.isFinite), statistics.averageLength > 0, sequence >= 0, statistics.documents >= 0,
            statistics.frequencies.allSatisfy({ $0 >= 0 })
        else { throw .invalidPlace }
    }

    private static func words(of bytes: [UInt8]) -> [UInt64]? {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            var words: [UInt64] = []
            while !reader.isAtEnd {
                guard let word = try? reader.bits() else { return nil }
                words.append(word)
            }
            return words
        }
    }
}
