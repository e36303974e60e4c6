//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The order in which a GPX file contains the points of routes and tracks.
///
/// A database returns documents in the order of their ids, but a GPX file has its points in the order of their numbers.
/// Only the numbers and the ids are kept in memory, at most ``ExchangeLimits/sortedBytesMax``. Then the documents are
/// read a second time, in this order. Rejected: to sort in a file on disk, because an export to standard output writes
/// none; and to read the database once for each track, because there may be thousands.
struct GPXOrder {
    private struct Entry {
        let isTrack: Bool
        let isLine: Bool
        var name: UInt32
        let trackPoint: GPXSubject.TrackPoint
        let idStart: Int
        let idCount: UInt32
    }

    private var entries: [Entry] = []
    private var idBytes: [UInt8] = []
    /// The names of tracks, and their indexes. The index 0 is that of documents without a name.
    private var names: [[UInt8]] = [[]]
    private var nameIndexes: [[UInt8]: UInt32] = [:]
    private var nameBytes = 0

    /// The assumed memory of a name in addition to its bytes, which are kept twice.
    private static let nameOverheadBytes = 128

    /// Adds a document that is not a waypoint.
    ///
    /// - Throws: ``ExchangeError`` when the limit is exceeded.
    mutating func add(_ subject: GPXSubject) throws(ExchangeError) {
        guard let trackPoint = subject.trackPoint else { return }
        let id = Array(subject.id.utf8)
        entries.append(
            Entry(
                isTrack: subject.kind == .track, isLine: subject.isLine, name: index(of: subject.trackName),
                trackPoint: trackPoint, idStart: idBytes.count, idCount: UInt32(clamping: id.count)))
        idBytes += id
        guard entries.count * MemoryLayout<Entry>.stride + idBytes.count + nameBytes <= ExchangeLimits.sortedBytesMax
        else {
            throw ExchangeError(
                "the points of tracks and routes need more than \(ExchangeLimits.sortedBytesMax >> 20) MB to be sorted. "
                    + "Export them in parts, with --id-prefix or --selector, such as {\"properties.track\": 1}.")
        }
    }

    private mutating func index(of name: String?) -> UInt32 {
        guard let name else { return 0 }
        let bytes = Array(name.utf8)
        if let index = nameIndexes[bytes] { return index }
        let index = UInt32(clamping: names.count)
        nameIndexes[bytes] = index
        names.append(bytes)
        nameBytes += 2 * bytes.count + GPXOrder.nameOverheadBytes
        return index
    }

    /// Sorts the documents: routes before tracks, points before lines, then by track, name, segment and point.
    mutating func sort() {
        let sorted = names.indices.dropFirst().sorted { names[$0].lexicographicallyPrecedes(names[$1]) }
        var ranks = [UInt32](repeating: 0, count: names.count)
        for (rank, index) in sorted.enumerated() { ranks[index] = UInt32(clamping: rank + 1) }
        for index in entries.indices { entries[index].name = ranks[Int(entries[index].name)] }
        entries.sort { GPXOrder.precedes($0, $1) }
    }

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        guard left.isTrack == right.isTrack else { return right.isTrack }
        guard left.isLine == right.isLine else { return right.isLine }
        let (first, second) = (left.trackPoint, right.trackPoint)
        return (first.track, left.name, first.segment, first.point, left.idStart)
            < (second.track, right.name, second.segment, second.point, right.idStart)
    }

    /// The number of documents.
    var count: Int { entries.count }

    /// Returns the ids of some documents in order.
    func ids(_ range: Range<Int>) -> [String] {
        entries[range].map { entry in
            // Bounded: 32 bits are widened.
            String(decoding: idBytes[entry.idStart..<(entry.idStart + Int(entry.idCount))], as: UTF8.self)
        }
    }
}
