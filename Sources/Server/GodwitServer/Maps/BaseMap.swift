//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The base map of the world: vector tiles that are embedded in the program, in the format of
/// `Sources/C/CPages/BaseMap/Data/README.md`.
struct BaseMap: Sendable {
    /// The map that is embedded in the program; `nil` if its file is damaged.
    static let embedded = EmbeddedFile("base-map.pack", in: "base-map").flatMap { BaseMap($0.bytes) }

    private static let head = Array("GWBM1\n".utf8)
    private static let entryBytes = 14

    /// A tile.
    enum Tile: Sendable {
        /// The tile's content, compressed with gzip.
        case shapes(ArraySlice<UInt8>)
        case land
        case water
    }

    private let pack: [UInt8]
    private let count: Int
    /// The version of the map. It changes when the content of the map changes.
    let version: String

    init?(_ pack: [UInt8]) {
        guard pack.starts(with: BaseMap.head), pack.count >= BaseMap.head.count + 4 else { return nil }
        self.pack = pack
        count = BaseMap.number(pack[BaseMap.head.count..<BaseMap.head.count + 4])
        guard count <= (pack.count - BaseMap.head.count - 4) / BaseMap.entryBytes else { return nil }
        version = MessageDigest.Algorithm.sha256.digest(of: pack).prefix(8).hexadecimal
    }

    /// Returns a tile. Tiles that the map does not contain are water.
    func tile(at coordinates: TileCoordinates) -> Tile {
        var (low, high) = (0, count)
        let wanted = (coordinates.zoom, coordinates.column, coordinates.row)
        while low < high {
            let middle = (low + high) / 2
            if key(of: middle) < wanted { low = middle + 1 } else { high = middle }
        }
        guard low < count, key(of: low) == wanted else { return .water }
        let entry = entry(low)
        guard entry[entry.startIndex + 5] == 0 else { return entry[entry.startIndex + 5] == 1 ? .land : .water }
        let start = BaseMap.number(entry.dropFirst(6).prefix(4))
        let end = start + BaseMap.number(entry.dropFirst(10))
        return start <= end && end <= pack.count ? .shapes(pack[start..<end]) : .water
    }

    private func entry(_ index: Int) -> ArraySlice<UInt8> {
        let start = BaseMap.head.count + 4 + index * BaseMap.entryBytes
        return pack[start..<start + BaseMap.entryBytes]
    }

    private func key(of index: Int) -> (Int, Int, Int) {
        let entry = entry(index)
        return (
            Int(entry[entry.startIndex]), BaseMap.number(entry.dropFirst(1).prefix(2)),
            BaseMap.number(entry.dropFirst(3).prefix(2))
        )
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

extension BaseMap.Tile {
    /// The content of a tile that contains only land. It is one square in layer 1, which is larger than the tile by 64
    /// units on each side.
    private static let square: [UInt8] = [1, 1, 0, 1, 4, 127, 127, 128, 66, 0, 0, 128, 66, 255, 65, 0]

    /// The content, not compressed.
    var bytes: [UInt8] {
        get async throws {
            switch self {
            case .shapes(let packed):
                var unpacked: [UInt8] = []
                let unpacker = GzipUnpacker()
                try await unpacker.append(Array(packed)) { unpacked += $0 }
                try unpacker.finish()
                return unpacked
            case .land: return Self.square
            case .water: return []
            }
        }
    }
}
