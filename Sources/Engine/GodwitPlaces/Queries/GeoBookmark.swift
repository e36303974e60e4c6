//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// A position in the order of the results of a geospatial query. It is the position directly after a geometry that the
/// query returned.
package struct GeoPosition: Sendable, Hashable, Comparable {
    /// The geometry's distance from the center of the area.
    package let metres: Double
    /// The stored id of its document.
    package let storedID: String
    /// The index of the geometry in its document.
    package let ordinal: Int

    /// The part of a bookmark that, in addition to the id, identifies the position.
    package var key: [UInt8] {
        var writer = ByteWriter()
        writer.append(bits: metres.bitPattern)
        writer.append(ordinal)
        return writer.bytes
    }

    /// Decodes a ``key``.
    package init(key: [UInt8], storedID: String) throws {
        (metres, ordinal) = try key.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return (Double(bitPattern: try reader.bits()), try reader.number())
        }
        self.storedID = storedID
    }

    init(metres: Double, storedID: String, ordinal: Int) {
        (self.metres, self.storedID, self.ordinal) = (metres, storedID, ordinal)
    }

    package static func < (left: Self, right: Self) -> Bool {
        if left.metres != right.metres { return left.metres < right.metres }
        if !left.storedID.utf8.elementsEqual(right.storedID.utf8) {
            return left.storedID.utf8.lexicographicallyPrecedes(right.storedID.utf8)
        }
        return left.ordinal < right.ordinal
    }
}

/// The position at which a geospatial query continues. A bookmark contains a position in the order of the hits, not a
/// number of hits. Therefore, if documents are created or deleted before the position, the next page still begins at
/// the same place.
struct GeoBookmark {
    private static let version: UInt8 = 1

    let position: GeoPosition
    /// The encoded bookmark.
    let text: String

    init(_ position: GeoPosition, of query: GeoQuery) {
        self.position = position
        var writer = ByteWriter()
        writer.append(raw: Self.version)
        writer.append(bits: query.fingerprint)
        writer.append(bits: position.metres.bitPattern)
        writer.append(position.ordinal)
        writer.append(run: position.storedID.utf8)
        text = Base64URL.encode(writer.bytes)
    }

    /// Decodes a bookmark; `nil` when the text is not a bookmark of this query.
    init?(_ text: String, of query: GeoQuery) {
        guard text.utf8.count <= GeoLimits.bookmarkBytesMax, let bytes = Base64URL.decode(text),
            let position = try? bytes.withUnsafeBytes({ try Self.position($0, fingerprint: query.fingerprint) })
        else { return nil }
        (self.position, self.text) = (position, text)
    }

    private static func position(_ bytes: UnsafeRawBufferPointer, fingerprint: UInt64) throws -> GeoPosition? {
        var reader = ByteReader(bytes)
        guard try reader.byte() == version, try reader.bits() == fingerprint else { return nil }
        let metres = Double(bitPattern: try reader.bits())
        let ordinal = try reader.number()
        let id = try reader.text()
        guard reader.isAtEnd, metres >= 0 else { return nil }
        return GeoPosition(metres: metres, storedID: id, ordinal: ordinal)
    }
}
