//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A database can contain private documents of several owners. A document of an owner is stored under the id
// `_owner/NAME/ID`. No other id begins with this prefix, because ids that begin with an underscore are reserved.
// Therefore, each owner has separate documents, ranges of ids, local documents, revision trees and conflicts, although
// the tables have no column for the owner. The order of an owner's changes, and the owner's counters, cannot be derived
// from the ids. Therefore, the tables `owned` and `owners` contain them. A database without owners does not have these
// tables.
//
// The alternative, a column for the owner, was rejected, because it would be in every row and every index of every
// database.

/// The documents that a datastore reads and writes: all documents, or the documents of one owner.
public struct Scope: Hashable, Sendable {
    /// The owner; `nil` for all documents.
    public let owner: String?

    /// The prefix of the stored ids of this scope; empty for all documents.
    package let prefix: String

    /// All documents. In this scope, a document of an owner has the id `_owner/NAME/ID`.
    public static let all = Scope(owner: nil, prefix: "")

    /// The documents of one owner. An owner cannot see the documents of another owner.
    ///
    /// - Parameter name: A text of 1 to `ownerBytesMax` bytes.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidOwner`` if the name is empty or too long.
    public static func owner(_ name: String) throws(StoreError) -> Scope {
        guard (1...StoreLimits.ownerBytesMax).contains(name.utf8.count) else {
            throw StoreError(
                .invalidOwner,
                "an owner's name must have 1 to \(StoreLimits.ownerBytesMax) bytes, not \(name.utf8.count)")
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

    /// The exclusive end of the range that contains this scope's stored ids; `nil` for all documents.
    package var end: String? {
        // `0` follows the slash at the end of the prefix. A name may end with a character that combines with a slash.
        prefix.isEmpty ? nil : String(decoding: prefix.utf8.dropLast(), as: UTF8.self) + "0"
    }

    /// The escaped name of a stored document's owner, as in `owners` and `owned`; `nil` if the document has no owner.
    static func ownerKey(ofStored id: String) -> String? {
        guard id.utf8.first == UInt8(ascii: "_"), id.utf8.starts(with: reservedPrefix.utf8) else { return nil }
        let rest = id.utf8.dropFirst(reservedPrefix.utf8.count)
        return rest.firstIndex(of: UInt8(ascii: "/")).flatMap { String(rest[..<$0]) }
    }

    /// Whether a stored document belongs to an owner.
    package static func isOwned(storedID: String) -> Bool { ownerKey(ofStored: storedID) != nil }

    /// The escaped name of this scope's owner; `nil` for all documents.
    var ownerKey: String? { owner.map(Scope.escaped) }

    /// Escapes a name so that it contains no slash: `%` becomes `%25` and `/` becomes `%2F`.
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
