//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

extension Datastore {
    /// A page of the documents that meet a selector.
    ///
    /// ```swift
    /// let page = try await trips.find(FindQuery(selector: ["km": ["$gt": 40]], limit: 100))
    /// ```
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for a selector, sort or bookmark that cannot
    ///   be, and where more documents would have to be sorted in memory than ``QueryLimits/sortedRowsMax``.
    public func find(_ query: FindQuery) async throws(StoreError) -> FindPage {
        do {
            let run = try await QueryRun(PreparedQuery(query), in: self)
            var documents: [Document] = []
            while try await run.appendNext(to: &documents) > 0 {}
            return FindPage(documents: documents, of: run)
        } catch {
            throw StoreError(query: error, subject: "querying \(name)")
        }
    }

    /// The documents that meet a selector, read as they are asked for.
    ///
    /// ```swift
    /// for try await trip in trips.find(["km": ["$gt": 40]], sort: [.descending("km")], limit: 10) { … }
    /// ```
    ///
    /// Each slice shows the documents as they are when it is read. What is wrong with the query is thrown at the first
    /// document, as ``find(_:)`` throws it.
    ///
    /// - Parameters:
    ///   - selector: A Mango selector.
    ///   - fields: The members wanted, inner ones with dots; whole documents when it is `nil`.
    ///   - sort: In which order. Documents without a field come first; where no index has the order they are sorted in
    ///     memory.
    ///   - limit: At most so many.
    ///   - skip: How many are left out at the beginning.
    public func find(
        _ selector: JSONObject, fields: [String]? = nil, sort: [QueryField] = [], limit: Int = .max, skip: Int = 0
    ) -> FoundDocuments {
        FoundDocuments(
            datastore: self,
            query: FindQuery(selector: selector, fields: fields, sort: sort, limit: limit, skip: skip))
    }

    /// How many documents meet a selector. No document is read where an index says all that the selector says.
    ///
    /// - Throws: ``StoreError`` as ``find(_:)`` does.
    public func count(_ selector: JSONObject) async throws(StoreError) -> Int {
        do {
            let prepared = try PreparedQuery(FindQuery(selector: selector, fields: ["_id"], limit: .max))
            if selector.isEmpty { return try documentCount - designCount() }
            let run = try await QueryRun(prepared, in: self)
            if let counted = try run.countedEntries(in: self) { return counted }
            var count = 0
            while case let found = try await run.next(), !found.isEmpty { count += found.count }
            return count
        } catch {
            throw StoreError(query: error, subject: "counting in \(name)")
        }
    }

    /// Whether a document meets a selector. See ``count(_:)``.
    ///
    /// - Throws: ``StoreError`` as ``find(_:)`` does.
    public func exists(_ selector: JSONObject) async throws(StoreError) -> Bool {
        let query = FindQuery(selector: selector, fields: ["_id"], limit: 1)
        do {
            let run = try await QueryRun(PreparedQuery(query), in: self)
            return try await !run.next().isEmpty
        } catch {
            throw StoreError(query: error, subject: "querying \(name)")
        }
    }

    private func designCount() throws(StoreError) -> Int {
        try read { try $0.counts(in: IDRange(lower: "_design/", upper: "_design0", upperIsIncluded: false)).live }
    }
}

/// The documents of a query, read slice by slice at the pace of whoever asks. See ``Datastore/find(_:fields:sort:limit:skip:)``.
public struct FoundDocuments: AsyncSequence, Sendable {
    /// A document that was found.
    public typealias Element = Document

    let datastore: Datastore
    let query: FindQuery

    /// Runs the query anew.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Reads the documents.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: FoundDocuments
        private var run: QueryRun?
        /// The documents of the slice that was read last, the next one at the end.
        private var slice: [Document] = []

        init(sequence: FoundDocuments) { self.sequence = sequence }

        /// The next document; `nil` when there are no more.
        public mutating func next() async throws -> Document? {
            do {
                if run == nil { run = try await QueryRun(PreparedQuery(sequence.query), in: sequence.datastore) }
                if slice.isEmpty, try await run!.appendNext(to: &slice) > 0 { slice.reverse() }
                return slice.popLast()
            } catch {
                throw StoreError(query: error, subject: "querying \(sequence.datastore.name)")
            }
        }
    }
}
