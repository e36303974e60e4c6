//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

extension Datastore {
    /// Returns a page of the documents that match a selector.
    ///
    /// ```swift
    /// let page = try await trips.find(FindQuery(selector: ["km": ["$gt": 40]], limit: 100))
    /// ```
    ///
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/invalidRequest`` for an invalid selector, sort or bookmark.
    ///   - ``StoreError/Code/invalidRequest`` when more than ``QueryLimits/sortedRowsMax`` documents would have to be
    ///     sorted in memory.
    ///   - ``StoreError/Code/indexNotFound`` when an index is deleted while the query reads it.
    public func find(_ query: FindQuery) async throws(StoreError) -> FindPage {
        do {
            let queryRun = try await QueryRun(PreparedQuery(query), in: self)
            var documents: [Document] = []
            while try await queryRun.appendNext(to: &documents) > 0 {}
            return FindPage(documents: documents, of: queryRun)
        } catch {
            throw StoreError(query: error, subject: "querying \(name)")
        }
    }

    /// Returns the documents that match a selector as a sequence, which reads them on demand.
    ///
    /// ```swift
    /// for try await trip in trips.find(["km": ["$gt": 40]], sort: [.descending("km")], limit: 10) { … }
    /// ```
    ///
    /// The sequence reads documents in slices, each in the current state of the database. If the query is invalid, the
    /// request for the first document throws the errors of ``find(_:)``.
    ///
    /// - Parameters:
    ///   - selector: A Mango selector.
    ///   - fields: The members to return, with dotted paths for members of inner objects; `nil` for complete documents.
    ///   - sort: The order. Documents that do not have a field of the order come first in ascending order, and last in
    ///     descending order. If no index has the order, the documents are sorted in memory.
    ///   - limit: The maximum number of documents.
    ///   - skip: The number of documents to skip at the beginning.
    public func find(
        _ selector: JSONObject, fields: [String]? = nil, sort: [QueryField] = [], limit: Int = .max, skip: Int = 0
    ) -> FoundDocuments {
        FoundDocuments(
            datastore: self,
            query: FindQuery(selector: selector, fields: fields, sort: sort, limit: limit, skip: skip))
    }

    /// Returns the number of documents that match a selector, without design documents. If an index covers the complete
    /// selector, no document is read.
    ///
    /// - Throws: ``StoreError`` as ``find(_:)``.
    public func count(_ selector: JSONObject) async throws(StoreError) -> Int {
        do {
            let prepared = try PreparedQuery(FindQuery(selector: selector, fields: ["_id"], limit: .max))
            if selector.isEmpty { return try documentCount - designCount() }
            let queryRun = try await QueryRun(prepared, in: self)
            if let entryCount = try queryRun.countedEntries(in: self) { return entryCount }
            var count = 0
            while case let documents = try await queryRun.next(), !documents.isEmpty { count += documents.count }
            return count
        } catch {
            throw StoreError(query: error, subject: "counting in \(name)")
        }
    }

    /// Returns whether at least one document matches a selector. Design documents are ignored.
    ///
    /// - Throws: ``StoreError`` as ``find(_:)``.
    public func exists(_ selector: JSONObject) async throws(StoreError) -> Bool {
        let query = FindQuery(selector: selector, fields: ["_id"], limit: 1)
        do {
            let queryRun = try await QueryRun(PreparedQuery(query), in: self)
            return try await !queryRun.next().isEmpty
        } catch {
            throw StoreError(query: error, subject: "querying \(name)")
        }
    }

    /// Returns the number of design documents. The character after `/` is `0`, so all ids that start with `_design/`
    /// come before `_design0`.
    private func designCount() throws(StoreError) -> Int {
        try read { try $0.counts(in: IDRange(lower: "_design/", upper: "_design0", upperIsIncluded: false)).live }
    }
}

/// The documents of a query, read in slices at the consumer's pace. See ``Datastore/find(_:fields:sort:limit:skip:)``.
public struct FoundDocuments: AsyncSequence, Sendable {
    /// A document that matches the query.
    public typealias Element = Document

    let datastore: Datastore
    let query: FindQuery

    /// Creates an iterator. Each iterator runs the query.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Reads the documents.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: FoundDocuments
        private var queryRun: QueryRun?
        /// The rest of the last slice, in reverse order.
        private var slice: [Document] = []

        init(sequence: FoundDocuments) { self.sequence = sequence }

        /// Returns the next document; `nil` at the end.
        public mutating func next() async throws -> Document? {
            do {
                if queryRun == nil {
                    queryRun = try await QueryRun(PreparedQuery(sequence.query), in: sequence.datastore)
                }
                if slice.isEmpty, try await queryRun!.appendNext(to: &slice) > 0 { slice.reverse() }
                return slice.popLast()
            } catch {
                throw StoreError(query: error, subject: "querying \(sequence.datastore.name)")
            }
        }
    }
}
