//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The id of a revision of a document: its generation and a hash, written `3-917fa2381192822767f010b95b45325b`.
///
/// Revisions are ordered as CouchDB orders them: by generation, then by the bytes of the hash.
public struct RevisionID: Hashable, Sendable, CustomStringConvertible {
    /// The hash of a revision. The hashes of Godwit and CouchDB have 128 bits; other peers may use any text.
    package enum Hash: Hashable, Sendable {
        case digest(UInt64, UInt64)
        case text(String)
    }

    /// The number of revisions from the document's first revision to this revision; 1 for the first revision. A stored
    /// revision never has the generation 0.
    public let generation: Int

    /// The hash of the revision.
    package let hash: Hash

    /// Creates an id from a generation and a hash. The generation and the hash are not checked.
    package init(generation: Int, hash: Hash) {
        self.generation = generation
        self.hash = hash
    }

    /// Parses `generation-hash`; `nil` for any other text, for a generation of more than 15 digits, and for a hash with
    /// a space, `"`, `\` or a character that is not printable ASCII.
    public init?(_ text: some StringProtocol) {
        let utf8 = text.utf8
        guard let dash = utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        guard let generation = RevisionID.generation(utf8[..<dash]) else { return nil }
        let rest = utf8[utf8.index(after: dash)...]
        guard let hash = Hash(text: rest) else { return nil }
        self.init(generation: generation, hash: hash)
    }

    /// The highest generation that a text may contain. It has fifteen digits.
    package static let generationMax = 999_999_999_999_999

    private static func generation(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...15).contains(digits.count) else { return nil }
        var value = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    /// Whether a stored document can have this revision. `0-a` and `1-` can be parsed but are never stored.
    package var isStorable: Bool { generation > 0 && hash != .text("") }

    /// The hash as text: 32 hexadecimal digits, or the peer's text.
    public var hashText: String {
        switch hash {
        case .digest(let high, let low): hash.bytes(high, low).hexadecimal
        case .text(let text): text
        }
    }

    /// `generation-hash`.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(48)
        text.append(self)
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends `generation-hash`.
    package mutating func append(_ revision: RevisionID) {
        if revision.generation < 10 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: revision.generation))
        } else {
            append(contentsOf: String(revision.generation).utf8)
        }
        append(UInt8(ascii: "-"))
        switch revision.hash {
        case .digest(let high, let low):
            appendHexadecimal(high)
            appendHexadecimal(low)
        case .text(let text): append(contentsOf: text.utf8)
        }
    }
}

extension RevisionID: Comparable {
    /// CouchDB's order: the higher generation is greater; if the generations are equal, the revision with the bytewise
    /// greater hash is greater.
    public static func < (left: RevisionID, right: RevisionID) -> Bool {
        guard left.generation == right.generation else { return left.generation < right.generation }
        if case .digest(let leftHigh, let leftLow) = left.hash, case .digest(let rightHigh, let rightLow) = right.hash {
            return (leftHigh, leftLow) < (rightHigh, rightLow)
        }
        return left.hash.bytes.lexicographicallyPrecedes(right.hash.bytes)
    }
}

extension RevisionID.Hash {
    /// Parses a hash. 32 hexadecimal digits become 128 bits. Other printable ASCII text without spaces, `"` and `\` is
    /// kept, including an empty text. Returns `nil` for any other text.
    init?(text: some Collection<UInt8>) {
        if text.count == 32, let bytes = [UInt8](hexadecimal: text) {
            self.init(digest: bytes)
        } else if text.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 < 0x7f }) {
            self = .text(String(decoding: text, as: UTF8.self))
        } else {
            return nil
        }
    }

    /// Creates a hash from the first 16 bytes of a digest.
    init(digest bytes: some Sequence<UInt8>) {
        var words: (UInt64, UInt64) = (0, 0)
        for (position, byte) in bytes.prefix(16).enumerated() {
            if position < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
        }
        self = .digest(words.0, words.1)
    }

    /// The bytes that determine the order of revisions of one generation.
    var bytes: [UInt8] {
        switch self {
        case .digest(let high, let low): bytes(high, low)
        case .text(let text): Array(text.utf8)
        }
    }

    fileprivate func bytes(_ high: UInt64, _ low: UInt64) -> [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }
}
