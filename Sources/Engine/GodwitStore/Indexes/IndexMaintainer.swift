//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite

// The design documents of a database define its indexes. When a design document changes, by an edit or by replication,
// each kind returns the indexes that the document defines, and indexes are created and removed in the same transaction.
// Therefore, a copy of a database has the indexes of the original, and CouchDB's tools find the definitions in the
// design documents.
//
// An index has its own tables, and each kind of index has a maintainer that updates these tables. Examples of kinds are
// Mango indexes, geospatial indexes and views. The store calls a maintainer with the changes and does not depend on the
// content of the index.
//
// A complete index is updated in the transaction of each write, if its kind is registered and `followsWrites` is
// `true`. Therefore, no query sees an outdated index, and a write need not change the row of the index in `indexes`.
// Any other index is behind, for example while it is being built, if its kind is not registered, or if its definition
// arrived by replication. The row of such an index stores the last change and the last purge that the index contains.
// `catchUp` updates it slice by slice, each slice in a separate transaction between other writes. The last slice and
// the state "complete" are written in one transaction, so no change is missed. A build that a crash interrupted
// continues from the stored sequence.

// The entries of some kinds are computed by functions of design documents, which may be slow and are written by users.
// Such a kind computes its entries outside of any transaction (`PrecomputingIndexKind`), so that no other write waits
// for it.

/// A kind of index.
package protocol IndexKind: Sendable {
    /// The kind's name in the file.
    var kind: String { get }

    /// Whether an index belongs to its definition and not to one design document. Several design documents may define
    /// the same shared index. It exists until ``Datastore/removeUnwantedIndexes(of:)`` is called while no design
    /// document defines it.
    var isShared: Bool { get }

    /// The indexes of this kind that a design document defines. Definitions that the kind does not understand are
    /// omitted.
    ///
    /// - Parameter design: The body of the document, without members that begin with an underscore.
    func definitions(in design: [UInt8]) -> [IndexDefinition]

    /// Whether an index has the entries that the current code computes for its documents. An index that is not current
    /// is treated as behind. When the indexes of its design document are created again, they get a new definition, and
    /// the outdated index is removed.
    func isCurrent(_ index: IndexDescription) -> Bool

    /// Creates an index's empty tables.
    func create(_ index: IndexDescription, on connection: SQLiteConnection) throws

    /// Removes an index's tables. Ignores absent tables.
    func remove(_ index: IndexDescription, on connection: SQLiteConnection) throws

    /// The number of entries that a complete index has for a document. The check of a database file uses this number.
    ///
    /// - Returns: `nil` if the entries do not match the document's row.
    func entryCount(
        of row: DocumentRow, storedID: String, in index: IndexDescription, on connection: SQLiteConnection
    ) throws -> Int?

    /// The number of entries of an index.
    func entryCount(in index: IndexDescription, on connection: SQLiteConnection) throws -> Int
}

extension IndexKind {
    /// Returns `false`, because by default, an index belongs to one design document.
    package var isShared: Bool { false }

    /// Returns `true`, because by default, an index is never outdated.
    package func isCurrent(_ index: IndexDescription) -> Bool { true }
}

/// A kind whose indexes are maintained within the transactions of writes.
package protocol IndexMaintainer: IndexKind {
    /// Whether each write updates a complete index. If `false`, an index is updated before it is used.
    var followsWrites: Bool { get }

    /// The size of a build's slice, as a multiple of the usual size. It is larger than 1 if the kind processes many
    /// changes together faster than one by one.
    var sliceFactor: Int { get }

    /// Updates an index with changed documents. The index may already contain the given state of a document.
    func apply(_ changes: [IndexChange], to index: IndexDescription, on connection: SQLiteConnection) throws
}

extension IndexMaintainer {
    /// Returns 1, so that by default, slices have the usual size.
    package var sliceFactor: Int { 1 }
}

/// A kind whose indexes need a final step after a build has added all documents.
package protocol FinishingMaintainer: IndexMaintainer {
    /// Whether the final step of an index is done. If `false`, the index is not complete, and ``settle(_:in:)`` must be
    /// called.
    func isSettled(_ index: IndexDescription, on connection: SQLiteConnection) throws -> Bool

    /// Performs the final step, in several transactions if necessary. While this method runs, no other task updates the
    /// index.
    func settle(_ index: IndexDescription, in database: IndexedDatabase) async throws
}

/// A kind whose index entries are computed outside of transactions, before the index is used.
package protocol PrecomputingIndexKind: IndexKind {
    /// The computed entries of some changes.
    associatedtype Entries: Sendable

    /// Computes the entries of changes. No transaction is open, so it may take a long time.
    func entries(
        of changes: [IndexChange], for index: IndexDescription, in database: IndexedDatabase
    ) async throws -> Entries

    /// Writes the computed entries.
    func apply(_ entries: Entries, to index: IndexDescription, on connection: SQLiteConnection) throws

    /// Updates data that is derived from the entries. Called when the index contains all entries.
    ///
    /// - Returns: The remaining writes, for the transaction that marks the index as complete.
    func finish(
        _ index: IndexDescription, in database: IndexedDatabase
    ) async throws -> @Sendable (SQLiteConnection) throws -> Void

    /// Discards data that is derived from the entries, so that ``finish(_:in:)`` computes all of it again.
    ///
    /// - Returns: Whether indexes of this kind have such data.
    func discardDerived(of index: IndexDescription, on connection: SQLiteConnection) throws -> Bool
}

extension PrecomputingIndexKind {
    /// Returns `false`, because by default, nothing is derived from the entries.
    package func discardDerived(of index: IndexDescription, on connection: SQLiteConnection) throws -> Bool { false }
}

/// The definition of an index in a design document.
package struct IndexDefinition: Equatable, Sendable {
    /// The index's name. It is unique among the indexes of the same kind in the design document.
    package let name: String
    /// The definition in the kind's own format. A different text is a different index.
    package let text: [UInt8]

    /// Creates a definition from the name of an index and the text of its definition.
    package init(name: String, text: [UInt8]) {
        self.name = name
        self.text = text
    }
}

/// An index as stored in the file.
package struct IndexDescription: Equatable, Sendable {
    /// The state of an index. The raw value is stored in the file.
    package enum State: Int, Sendable {
        /// The index must be updated before it is used.
        case behind = 0
        /// The index contains all changes.
        case complete = 1
    }

    /// The value of `design` for a shared index.
    package static let shared = ""

    /// A number that never changes while the index exists. The names of its tables contain this number.
    package let number: Int64
    /// The name of the index's kind; see ``IndexKind/kind``. The kind need not be registered.
    package let kind: String
    /// The id of the design document that defines it; ``shared`` for a shared index.
    package let design: String
    /// The name of the index in the design document.
    package let name: String
    /// The definition in the kind's own format.
    package let definition: [UInt8]
    /// Whether the index is behind or contains all changes.
    package internal(set) var state: State
    /// The last change that the index contains. For a complete index, this is the last change at the time when the
    /// index became complete.
    package internal(set) var sequence: Int64
    /// The number of the last purge that the index has applied.
    package internal(set) var purges: Int64

    /// Whether the index belongs to its definition and not to one design document.
    package var isShared: Bool { design.isEmpty }
}

/// A change of a document, for an index.
package enum IndexChange: Sendable {
    /// The document's new row, with the winner and its body. Most indexes have no entries for a deleted document.
    case changed(DocumentRow, storedID: String)
    /// The document was removed completely.
    case removed(number: Int64, storedID: String)

    /// The document's constant number, the key of its entries in an index.
    package var number: Int64 {
        switch self {
        case .changed(let row, _): row.number
        case .removed(let number, _): number
        }
    }
}
