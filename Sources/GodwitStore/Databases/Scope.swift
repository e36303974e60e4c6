//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Private documents in one shared database. A document of an owner is stored under the id `_owner/NAME/ID`, which no
// client can write by itself, since ids that begin with an underscore are reserved. So one rule gives an owner ids of its
// own, ranges, local documents, revision trees and conflicts, and no table has one column more. What cannot be told from
// the id in the right order, the changes and the counters of one owner, lies in the tables `owned` and `owners`, which a
// database without owners does not have.
//
// A column beside the id was the other way: it would stand in every row and in every index of every database.

/// Whose documents a datastore shows and writes: everybody's, or those of one owner.
public struct Scope: Hashable, Sendable {
    /// The owner; `nil` for all documents.
    public let owner: String?

    /// What the stored ids of this scope begin with; empty for all.
    package let prefix: String

    /// Every document. One that belongs to an owner has the id `_owner/NAME/ID` here.
    public static let all = Scope(owner: nil, prefix: "")

    /// The documents of one owner, who sees no other and whom no other owner sees.
    ///
    /// - Parameter name: Any text that is not empty and no longer than `ownerBytesMax` bytes.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidOwner``.
    public static func owner(_ name: String) throws(StoreError) -> Scope {
        guard (1...StoreLimits.ownerBytesMax).contains(name.utf8.count) else {
            throw StoreError(
                .invalidOwner,
                "an owner's name has 1 to \(StoreLimits.ownerBytesMax) bytes; this has \(name.utf8.count)")
        }
        return Scope(owner: name, prefix: "\(reservedPrefix)\(escaped(name))/")
    }

    static let reservedPrefix = "_owner/"

    private init(owner: String?, prefix: String) {
        self.owner = owner
        self.prefix = prefix
    }

    /// The id under which a document of this scope is stored.
    package func stored(_ id: String) -> String { prefix.isEmpty ? id : prefix + id }

    /// The id that a stored document has in this scope.
    package func visible(_ storedID: String) -> String {
        prefix.isEmpty ? storedID : String(storedID.utf8.dropFirst(prefix.utf8.count)) ?? storedID
    }

    /// The first stored id beyond this scope; `nil` for all.
    package var end: String? { prefix.isEmpty ? nil : prefix.dropLast() + "0" }

    /// The escaped name of the owner of a stored document, as `owners` and `owned` have it; `nil` when nobody owns it.
    static func ownerKey(ofStored id: String) -> String? {
        guard id.utf8.first == UInt8(ascii: "_"), id.utf8.starts(with: reservedPrefix.utf8) else { return nil }
        let rest = id.utf8.dropFirst(reservedPrefix.utf8.count)
        return rest.firstIndex(of: UInt8(ascii: "/")).flatMap { String(rest[..<$0]) }
    }

    /// Whether a stored document is an owner's.
    package static func isOwned(storedID: String) -> Bool { ownerKey(ofStored: storedID) != nil }

    /// The escaped name of this scope's owner; `nil` for all.
    var ownerKey: String? { owner.map(Scope.escaped) }

    /// A name without a slash: `%` becomes `%25` and `/` becomes `%2F`.
    private static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }) else { return name }
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "%"): bytes.append(contentsOf: "%25".utf8)
            case UInt8(ascii: "/"): bytes.append(contentsOf: "%2F".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
