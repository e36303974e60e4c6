//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitQuery
public import GodwitStore
import GodwitText

/// A corpus: a datastore of questions with their answers, and its text index.
public struct AnswerCorpus: Sendable {
    /// The name of the text index.
    static let index = "answers"
    private static let fields = ["question", "focus", "synonyms", "answer"]
    private static let pageCount = 500

    /// The datastore.
    public let datastore: Datastore

    /// Opens a corpus. If the corpus has no text index, an index is created. It is built in the background, which takes
    /// a while if there are many documents.
    ///
    /// - Throws: ``StoreError``, with code ``StoreError/Code/indexExists`` if the datastore already has an index that
    ///   is named `answers` but has a different definition.
    public init(_ datastore: Datastore) async throws(StoreError) {
        self.datastore = datastore
        try await datastore.ensureTextIndex(Self.fields, named: Self.index, analyzer: "english")
    }

    /// Writes questions with their answers. If the corpus has a document with the id of a question, the document is
    /// replaced. If the document already has the same content, it is not written again. Each document is written
    /// separately: if an error is thrown, other documents may have been written.
    ///
    /// - Returns: The number of documents that were written.
    public func add(_ pairs: [QuestionAnswer]) async throws(StoreError) -> Int {
        let known = try datastore.documents(pairs.map(\.id))
        var edits: [DocumentEdit] = []
        for (pair, old) in zip(pairs, known) {
            guard var old else {
                edits.append(.create(pair.document))
                continue
            }
            guard old.body != pair.document.body else { continue }
            old.body = pair.document.body
            edits.append(.update(old))
        }
        for written in try await datastore.writeEach(edits) { _ = try written.get() }
        return edits.count
    }

    /// Deletes all questions except those whose ids are in `ids`. Documents that are not questions remain.
    public func removeAll(except ids: Set<String>) async throws(StoreError) {
        let kept = Set(ids.map { Array($0.utf8) })
        var last: String?
        repeat {
            let page = try page(after: last)
            let removed = page.filter { document in
                QuestionAnswer(document) != nil && document.id.map { !kept.contains(Array($0.utf8)) } ?? false
            }
            for written in try await datastore.writeEach(removed.map { .delete($0) }) { _ = try written.get() }
            last = page.last?.id
        } while last != nil
    }

    /// Returns the first `count` questions, in the order of the ids; fewer if the corpus has fewer.
    public func first(_ count: Int) throws(StoreError) -> [QuestionAnswer] {
        var found: [QuestionAnswer] = []
        var last: String?
        repeat {
            let page = try page(after: last)
            found += page.lazy.compactMap { QuestionAnswer($0) }.prefix(max(0, count - found.count))
            last = page.last?.id
        } while last != nil && found.count < count
        return found
    }

    /// Calls a function with each question of the corpus, in the order of the ids.
    func forEach(_ body: (QuestionAnswer) -> Void) throws(StoreError) {
        var last: String?
        repeat {
            let page = try page(after: last)
            for document in page { QuestionAnswer(document).map(body) }
            last = page.last?.id
        } while last != nil
    }

    private func page(after id: String?) throws(StoreError) -> [Document] {
        let range = id.map { IDRange(lower: $0, lowerIsIncluded: false) } ?? IDRange()
        return try datastore.documents(in: range, limit: Self.pageCount, descending: false)
    }

    /// Returns the questions that match a query of the text index, the most relevant first.
    func search(_ query: String, limit: Int) async throws(StoreError) -> [(pair: QuestionAnswer, score: Double)] {
        try await datastore.search(query, index: Self.index, limit: limit).hits.compactMap { hit in
            QuestionAnswer(hit.document).map { ($0, hit.score) }
        }
    }
}
