//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes

/// The name of one revision of a document: its generation and a hash, written `3-917fa2381192822767f010b95b45325b`.
///
/// Revisions are ordered as CouchDB orders them: by generation, then by the bytes of the hash.
public struct RevisionID: Hashable, Sendable, CustomStringConvertible {
    /// A revision's hash. CouchDB's and ours have 128 bits; other peers bring any text.
    package enum Hash: Hashable, Sendable {
        case digest(UInt64, UInt64)
        case text(String)
    }

    /// How many revisions lead to this one, itself included; 1 for a document's first. No stored revision has 0.
    public let generation: Int

    package let hash: Hash

    package init(generation: Int, hash: Hash) {
        self.generation = generation
        self.hash = hash
    }

    /// Reads `generation-hash`; `nil` when the text is something else.
    public init?(_ text: some StringProtocol) {
        let utf8 = text.utf8
        guard let dash = utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        guard let generation = RevisionID.generation(utf8[..<dash]) else { return nil }
        let rest = utf8[utf8.index(after: dash)...]
        guard let hash = Hash(text: rest) else { return nil }
        self.init(generation: generation, hash: hash)
    }

    /// The highest generation that a text may name: fifteen digits.
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

    /// Whether a document can have it. A text may name others, `0-a` and `1-`, which no document has.
    package var isStorable: Bool { generation > 0 && hash != .text("") }

    /// The hash as text: 32 hexadecimal digits, or what the peer wrote.
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
            append(UInt8(ascii: "0") + UInt8(revision.generation))
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
    /// CouchDB's order: the higher generation is greater; at one generation, the bytewise greater hash.
    public static func < (left: RevisionID, right: RevisionID) -> Bool {
        guard left.generation == right.generation else { return left.generation < right.generation }
        if case .digest(let leftHigh, let leftLow) = left.hash, case .digest(let rightHigh, let rightLow) = right.hash {
            return (leftHigh, leftLow) < (rightHigh, rightLow)
        }
        return left.hash.bytes.lexicographicallyPrecedes(right.hash.bytes)
    }
}

extension RevisionID.Hash {
    /// Reads a hash: 32 hexadecimal digits become 128 bits; other printable text stays as it is, an empty one too.
    init?(text: some Collection<UInt8>) {
        if text.count == 32, let bytes = [UInt8](hexadecimal: text) {
            self.init(digest: bytes)
        } else if text.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 < 0x7f }) {
            self = .text(String(decoding: text, as: UTF8.self))
        } else {
            return nil
        }
    }

    /// The hash of the first 16 bytes of a digest.
    init(digest bytes: some Sequence<UInt8>) {
        var words: (UInt64, UInt64) = (0, 0)
        for (place, byte) in bytes.prefix(16).enumerated() {
            if place < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
        }
        self = .digest(words.0, words.1)
    }

    /// The bytes that decide the order of revisions of one generation.
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
