//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CText
import GodwitSQLite

/// Collects the best hits of an expression in one pass over all its hits; see `textrank.c`.
struct TextCollector {
    let connection: SQLiteConnection
    let table: String
    /// For each column, the factor by which its hits count in the score; empty if all factors are 1.
    let boosts: [Double]

    /// The result of a pass.
    struct Found {
        /// The number of all hits, including hits in excluded rows.
        var hits = 0
        /// The best hits in their order.
        var best: [(row: TextRow, score: Double)] = []
        /// The hits in the excluded rows.
        var passed: [TextRow] = []
        /// The statistics that the scores are computed from.
        var statistics = TextStatistics()
    }

    init(on connection: SQLiteConnection, table: String, boosts: [Double]) throws {
        try connection.extend("text rank") { godwit_text_register($0) }
        self.connection = connection
        self.table = table
        self.boosts = boosts
    }

    /// Collects hits.
    ///
    /// - Parameters:
    ///   - expression: The expression.
    ///   - limit: The maximum number of best hits.
    ///   - position: The score and the row after which hits are collected; `nil` for the best hits.
    ///   - statistics: The statistics from which scores are computed; `nil` for the current statistics.
    ///   - passingOver: The excluded rows, in ascending order. Hits in these rows are not ranked.
    ///   - among: The numbers of the documents that are ranked, ascending; `nil` for all.
    /// - Throws: ``TextError`` when `statistics` belong to an expression with another number of phrases.
    func collect(
        _ expression: TextExpression, limit: Int, after position: (score: Double, row: TextRow)? = nil,
        statistics: TextStatistics? = nil,
        passingOver: [TextRow] = [], among: [Int64]? = nil
    ) throws -> Found {
        guard let text = expression.text else { return Found(statistics: statistics ?? TextStatistics()) }
        guard statistics.map({ $0.frequencies.count == expression.counts.count }) ?? true else {
            throw TextError.invalidPlace
        }
        var frequencies = statistics?.frequencies ?? expression.counts.map { _ in 0 }
        var weights = expression.counts.map { _ in 0.0 }
        let excluded = passingOver.map(\.rawValue)
        return try expression.counts.withUnsafeBufferPointer { counts in
            try frequencies.withUnsafeMutableBufferPointer { frequencies in
                try weights.withUnsafeMutableBufferPointer { weights in
                    try excluded.withUnsafeBufferPointer { excluded in
                        var shared = godwit_text_statistics(
                            is_known: statistics != nil, documents: statistics?.documents ?? 0,
                            average_length: statistics?.averageLength ?? 1, phrase_count: Int32(counts.count),
                            counts: counts.baseAddress!, frequencies: frequencies.baseAddress!)
                        return try withUnsafeMutablePointer(to: &shared) { shared in
                            var collection = godwit_text_collection()
                            collection.statistics = shared
                            collection.weights = weights.baseAddress!
                            collection.truth = expression.truth
                            collection.limit = Int64(limit)
                            collection.is_placed = position != nil
                            collection.place_score = position?.score ?? 0
                            collection.place_row = position?.row.rawValue ?? 0
                            collection.excluded = excluded.baseAddress
                            collection.excluded_count = Int64(excluded.count)
                            return try runPass(text, among: among, &collection)
                        }
                    }
                }
            }
        }
    }

    private func runPass(
        _ text: String, among: [Int64]?, _ collection: inout godwit_text_collection
    ) throws -> Found {
        try boosts.withUnsafeBufferPointer { boosts in
            collection.boosts = boosts.isEmpty ? nil : boosts.baseAddress
            collection.boost_count = Int32(boosts.count)
            guard let among else { return try runPass(text, &collection) }
            return try among.withUnsafeBufferPointer { among in
                collection.among = among.baseAddress
                collection.among_count = Int64(among.count)
                return try runPass(text, &collection)
            }
        }
    }

    private func runPass(_ text: String, _ collection: inout godwit_text_collection) throws -> Found {
        defer { godwit_text_release(&collection) }
        let statement = try connection.statement(
            composed: "SELECT 1 FROM \(table) WHERE \(table) MATCH ?1 AND godwit_text_collect(\(table), ?2)")
        statement.bind(text, at: 1)
        try withUnsafeMutablePointer(to: &collection) { collection in
            statement.bind(pointer: collection, type: godwit_text_collection_type, at: 2)
            defer { statement.bindNull(at: 2) }
            // One step runs the complete pass. If the function collects all hits in its first call, it accepts this
            // hit, and the step returns a row. If not, it accepts no hit, and the step returns no row.
            _ = try statement.step()
            statement.reset()
        }
        godwit_text_sort(&collection)
        return Found(collection)
    }
}

extension TextCollector.Found {
    fileprivate init(_ collection: godwit_text_collection) {
        hits = Int(collection.hits)
        best = UnsafeBufferPointer(start: collection.candidates, count: Int(collection.candidate_count)).map {
            (TextRow(rawValue: $0.row), $0.score)
        }
        passed = UnsafeBufferPointer(start: collection.passed, count: Int(collection.passed_count)).map(TextRow.init)
        let shared = collection.statistics!.pointee
        statistics = TextStatistics(
            documents: shared.documents, averageLength: shared.average_length,
            frequencies: Array(UnsafeBufferPointer(start: shared.frequencies, count: Int(shared.phrase_count))))
    }
}
