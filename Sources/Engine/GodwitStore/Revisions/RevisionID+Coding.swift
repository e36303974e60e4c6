//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension RevisionID {
    /// The encoded revision: its generation, then its hash.
    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 24)
        writer.append(generation)
        writer.append(hash)
        return writer.bytes
    }

    init(decoding reader: inout ByteReader) throws(StoreError) {
        let generation = try reader.number()
        // The generation may exceed `generationMax`. In the encoding of a tree, only the generations of roots are
        // stored; the generations of their descendants are counted from them.
        guard generation > 0, generation <= 2 * RevisionID.generationMax else { throw .damagedRow }
        self.init(generation: generation, hash: try reader.hash())
    }

    /// Decodes the usual form: a generation below 128 and a hash of 128 bits. Returns `nil` for any other form. This is
    /// faster than decoding with a ``ByteReader``.
    init?(usual bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 18, (1..<0x80).contains(bytes[0]), bytes[1] == 0 else { return nil }
        self.init(
            generation: Int(bytes[0]),
            hash: .digest(
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 10, as: UInt64.self))))
    }

    init(decoding bytes: UnsafeRawBufferPointer) throws(StoreError) {
        var reader = ByteReader(bytes)
        try self.init(decoding: &reader)
    }
}

extension ByteWriter {
    /// Appends a hash. A hash of 128 bits is encoded as a zero and 16 bytes, and any other text as its length and its
    /// bytes.
    mutating func append(_ hash: RevisionID.Hash) {
        switch hash {
        case .text(let text): append(run: text.utf8)
        case .digest(let high, let low):
            append(0)
            withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { append(raw: $0) }
        }
    }
}

extension ByteReader {
    mutating func hash() throws(StoreError) -> RevisionID.Hash {
        let length = try number()
        guard length == 0 else { return .text(String(decoding: try raw(length), as: UTF8.self)) }
        let bytes = try raw(16)
        return .digest(
            UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
}
