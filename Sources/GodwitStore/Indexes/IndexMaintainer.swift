//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite

// Indexes are what the design documents of a database say. When one of those changes, by an edit or by replication, the
// kinds are asked what it defines; in the same transaction indexes come and go. So a copy of a database has the indexes of
// the original, and there is one place to look at, which CouchDB's tools know too.
//
// An index is a table of its own beside the documents, kept by whoever knows its kind: Mango, geometry, views. Store calls
// a maintainer with what changed and knows nothing of what it makes of it.
//
// A complete index of a kind that this process knows is kept in the write's own transaction, so no query sees it stale and
// its row in `indexes` need not be written. Any other (still being built, of a kind that is not registered here, arrived
// by replication) is behind: its row says up to which change and which purge it follows, and `catchUp` brings it on slice
// by slice, each in a transaction of its own beside other writers. The last slice and the word "complete" are one
// transaction, so nothing comes between. A build that a crash cut goes on where it was.

// What a kind's entries are made by may be slow or foreign: functions of a design document. Such a kind works out its entries
// outside of any transaction (`OutsideMaintainer`), so that nobody else waits for it.

/// A kind of index.
package protocol IndexKind: Sendable {
    /// The kind's name, as the file has it.
    var kind: String { get }

    /// Whether an index belongs to what it is made of and not to the design document that defines it: several may define the
    /// same, and it stays until ``Datastore/removeUnwantedIndexes(of:)`` when none does any more.
    var isShared: Bool { get }

    /// The indexes of this kind that a design document defines. What it does not understand it leaves out.
    ///
    /// - Parameter design: The body of the document, without members that begin with an underscore.
    func definitions(in design: [UInt8]) -> [IndexDefinition]

    /// Whether an index has what would be made of documents now. One that has not is as good as behind, until the indexes of its
    /// design document are made, which has another definition by then.
    func isCurrent(_ index: IndexDescription) -> Bool

    /// Makes an index's tables, empty.
    func create(_ index: IndexDescription, on connection: SQLiteConnection) throws

    /// Removes an index's tables; some of them may not be there.
    func remove(_ index: IndexDescription, on connection: SQLiteConnection) throws

    /// How many entries a complete index has of a document, for the check of a file.
    ///
    /// - Returns: `nil` when they are not what the document's row asks for.
    func entryCount(
        of row: DocumentRow, storedID: String, in index: IndexDescription, on connection: SQLiteConnection
    ) throws -> Int?

    /// How many entries an index has.
    func entryCount(in index: IndexDescription, on connection: SQLiteConnection) throws -> Int
}

extension IndexKind {
    package var isShared: Bool { false }

    package func isCurrent(_ index: IndexDescription) -> Bool { true }
}

/// Keeps indexes of one kind within the transactions of writes.
package protocol IndexMaintainer: IndexKind {
    /// Whether it is kept in the transaction of each write once it is complete, or caught up before it is used.
    var followsWrites: Bool { get }

    /// How many times the usual a slice of a build takes: more where many changes at once cost less each.
    var sliceFactor: Int { get }

    /// Brings an index to the state of the documents that changed. A document may come again that it has already.
    func apply(_ changes: [IndexChange], to index: IndexDescription, on connection: SQLiteConnection) throws
}

extension IndexMaintainer {
    package var sliceFactor: Int { 1 }
}

/// Keeps indexes of which a build leaves something to be put in order when all documents are in it.
package protocol SettlingMaintainer: IndexMaintainer {
    /// Whether nothing of an index waits to be put in order. Until then it is not complete.
    func isSettled(_ index: IndexDescription, on connection: SQLiteConnection) throws -> Bool

    /// Puts in order what slices left, in as many transactions as it takes. Nobody brings the index on meanwhile.
    func settle(_ index: IndexDescription, in database: IndexedDatabase) async throws
}

/// Keeps indexes of one kind whose entries are worked out outside of transactions, before they are used.
package protocol OutsideMaintainer: IndexKind {
    /// What changes come to in an index.
    associatedtype Entries: Sendable

    /// Works out what changes come to. No transaction is open; it may take as long as it takes.
    func entries(
        of changes: [IndexChange], for index: IndexDescription, in database: IndexedDatabase
    ) async throws -> Entries

    /// Writes what was worked out.
    func apply(_ entries: Entries, to index: IndexDescription, on connection: SQLiteConnection) throws

    /// Brings up to date what is derived from the entries, when all of them are there.
    ///
    /// - Returns: What is left to be written when the index is marked as complete.
    func finish(
        _ index: IndexDescription, in database: IndexedDatabase
    ) async throws -> @Sendable (SQLiteConnection) throws -> Void
}

/// An index as a design document defines it.
package struct IndexDefinition: Equatable, Sendable {
    /// Unique among those of its kind in the design document.
    package let name: String
    /// What it is made of, in the words of its kind; another text is another index.
    package let text: [UInt8]

    package init(name: String, text: [UInt8]) {
        self.name = name
        self.text = text
    }
}

/// An index as the file describes it.
package struct IndexDescription: Equatable, Sendable {
    package enum State: Int, Sendable {
        /// Behind: it must be caught up before it is used.
        case behind = 0
        /// As new as the documents.
        case complete = 1
    }

    /// What stands for the design document of an index that several may define.
    package static let shared = ""

    /// Its own number for life, for the names of its tables.
    package let number: Int64
    package let kind: String
    /// The id of the design document that defines it; ``shared`` when it belongs to none.
    package let design: String
    /// Its name there.
    package let name: String
    /// What it is made of, in the words of its kind.
    package let definition: [UInt8]
    package internal(set) var state: State
    /// The last change that it follows; of a complete one, the last when it was completed.
    package internal(set) var sequence: Int64
    /// The last purge that it follows.
    package internal(set) var purges: Int64

    /// Whether it belongs to what it is made of.
    package var isShared: Bool { design.isEmpty }
}

/// A document's new state, for an index.
package enum IndexChange: Sendable {
    /// The row holds the winner with its body; a deleted one has no place in most indexes.
    case changed(DocumentRow, storedID: String)
    /// The document is gone altogether.
    case removed(number: Int64, storedID: String)

    /// The document's number for life, under which an index keeps its entries.
    package var number: Int64 {
        switch self {
        case .changed(let row, _): row.number
        case .removed(let number, _): number
        }
    }
}
