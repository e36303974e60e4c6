//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The rules for document ids.
package enum DocumentID {
    /// Checks an id.
    ///
    /// An id is not empty and not longer than `documentIDBytesMax`. It begins with an underscore only if it begins with
    /// `_design/` or `_owner/NAME/`. The text after `_owner/NAME/` is the id in the scope of the owner.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidDocumentID`` and CouchDB's message.
    package static func check(_ id: String, limits: StoreLimits) throws(StoreError) {
        guard !id.isEmpty else { throw StoreError(.invalidDocumentID, "Document id must not be empty") }
        guard id.utf8.count <= limits.documentIDBytesMax else {
            throw StoreError(
                .invalidDocumentID, "Document id is too long: more than \(limits.documentIDBytesMax) bytes")
        }
        if let owner = Scope.ownerKey(ofStored: id) {
            try check(
                String(id.utf8.dropFirst(Scope.reservedPrefix.utf8.count + owner.utf8.count + 1)) ?? "", limits: limits)
        } else if id.utf8.first == UInt8(ascii: "_") {
            guard isDesign(id), id.utf8.count > designPrefix.utf8.count else {
                throw StoreError(.invalidDocumentID, "Only reserved document ids may start with underscore.")
            }
        }
    }

    /// The text with which the ids of design documents begin.
    package static let designPrefix = "_design/"

    /// The name of a design document: its id without `_design/`. Any other id is returned unchanged.
    package static func designName(_ id: String) -> String {
        guard isDesign(id) else { return id }
        return String(id.utf8.dropFirst(designPrefix.utf8.count)) ?? id
    }

    /// The exclusive end of the range that contains the ids of design documents.
    package static let designsEnd = "_design0"

    /// Whether an id identifies a design document. Bytes are compared, as in the store's order. Swift compares
    /// characters, so for Swift, a text does not begin with `_design/` if a combining character follows the slash.
    package static func isDesign(_ id: String) -> Bool { id.utf8.starts(with: designPrefix.utf8) }

    /// Whether a stored id identifies a design document, either one without an owner or one of an owner.
    package static func isStoredDesign(_ storedID: String) -> Bool {
        guard let owner = Scope.ownerKey(ofStored: storedID) else { return isDesign(storedID) }
        return storedID.utf8.dropFirst(Scope.reservedPrefix.utf8.count + owner.utf8.count + 1)
            .starts(with: designPrefix.utf8)
    }

    /// A new id for a document without one: 32 hexadecimal digits.
    ///
    /// The first half begins at a random number in each process and increases with each id, so that ids that are
    /// created together are adjacent in the index. The second half is random. CouchDB's `sequential` algorithm has the
    /// same purpose.
    package static func random() -> String {
        var bytes = ids.next()
        bytes += .random(count: 8)
        return bytes.hexadecimal
    }

    private static let ids = IncreasingPrefix()
}
