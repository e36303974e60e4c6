//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes

/// The rules for ids of documents.
package enum DocumentID {
    /// Checks an id, in CouchDB's words.
    ///
    /// An id is not empty, not longer than `documentIDBytesMax`, and begins with an underscore only in `_design/`, or in
    /// `_owner/NAME/`, where the id that its owner sees follows.
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

    package static let designPrefix = "_design/"

    /// The name of a design document: its id without `_design/`; any other id as it is.
    package static func designName(_ id: String) -> String {
        guard isDesign(id) else { return id }
        return String(id.utf8.dropFirst(designPrefix.utf8.count)) ?? id
    }

    /// The first id behind those of design documents.
    package static let designsEnd = "_design0"

    /// Whether an id is a design document's. By bytes: to Swift a text does not begin with `_design/` when a combining
    /// character follows, and the store orders by bytes.
    package static func isDesign(_ id: String) -> Bool { id.utf8.starts(with: designPrefix.utf8) }

    /// Whether it is the id of a design document as it is stored: the database's own, or an owner's.
    package static func isStoredDesign(_ storedID: String) -> Bool {
        guard let owner = Scope.ownerKey(ofStored: storedID) else { return isDesign(storedID) }
        return storedID.utf8.dropFirst(Scope.reservedPrefix.utf8.count + owner.utf8.count + 1)
            .starts(with: designPrefix.utf8)
    }

    /// An id for a document that came without one: 32 hexadecimal digits.
    ///
    /// The first half is the process's and grows with each id, so that ids made together lie together in the index;
    /// the second half is random. CouchDB's `sequential` algorithm does the same.
    package static func random() -> String {
        var bytes = ids.next()
        bytes += .random(count: 8)
        return bytes.hexadecimal
    }

    private static let ids = GrowingPrefix()
}
