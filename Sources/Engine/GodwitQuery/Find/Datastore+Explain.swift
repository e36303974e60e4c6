//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

/// The plan of a query, described for a developer.
public struct QueryExplanation: Sendable {
    /// A description of the plan in English sentences.
    public let words: String
    /// The indexes that the query reads, in their order.
    public let indexes: [QueryIndex]
    /// The definition of an index that would serve the query better; `nil` when the query needs no other index, has a
    /// `$text`, or has no field that an index could restrict.
    public let suggestion: JSONObject?
    /// Whether an index contains all fields that the query returns and tests. If it does, the query reads only the
    /// documents whose values are too long for the index (``QueryLimits/coveredBytesMax``).
    public let isCovered: Bool
    /// Whether the documents are sorted in memory.
    public let sortsInMemory: Bool
}

extension Datastore {
    /// Describes how a query would run, without running it.
    ///
    /// ```swift
    /// print(try await trips.explain(FindQuery(selector: ["km": ["$gt": 40]])).words)
    /// // Reads all documents, in the order of their ids. Each document is checked against the selector. An index on km
    /// …
    /// ```
    ///
    /// - Throws: ``StoreError`` as ``find(_:)``.
    public func explain(_ query: FindQuery) async throws(StoreError) -> QueryExplanation {
        do {
            let plan = try await QueryRun.plan(for: PreparedQuery(query), in: self)
            return QueryExplanation(
                words: plan.inWords, indexes: plan.accesses.map { $0.index.map { QueryIndex($0) } ?? .allDocuments },
                suggestion: plan.suggestion, isCovered: plan.isCovered, sortsInMemory: plan.sortsInMemory)
        } catch {
            throw StoreError(query: error, subject: "explaining a query of \(name)")
        }
    }
}
