//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitStore

extension Datastore {
    /// A page of the documents that match a text query, the best first, with the places of the words in them.
    ///
    /// ```swift
    /// try await trips.ensureTextIndex(["title", "notes"], named: "words", analyzer: "english")
    /// let page = try await trips.search("bodega AND harbor*", highlighting: SearchHighlights(["notes"]))
    /// for hit in page.hits { print(hit.score, hit.document.id!, hit.highlights["notes"] ?? []) }
    /// ```
    ///
    /// All of it happens here, without a network. Words beside one another must all occur; `AND`, `OR`, `NOT`, phrases in
    /// quotes, `word*`, `field:word` and `field:[1 TO 5]` are known too.
    ///
    /// Between pages others may write: a document that stays and matches comes once, where it stood when the first page was
    /// read.
    ///
    /// - Parameters:
    ///   - text: The query.
    ///   - index: The name of the text index, behind that of its design document and a slash where several have the name;
    ///     `nil` where there is only one. An index that is being built is waited for.
    ///   - limit: At most so many documents, and never more than ``TextLimits/searchHitsMax``.
    ///   - bookmark: Where to go on: ``SearchPage/bookmark`` of the page before.
    ///   - highlights: What is shown of the fields in which the words are; nothing when it is `nil`.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for a query that cannot be read, with the place
    ///   of the mistake, and for a bookmark of another search; ``StoreError/Code/indexNotFound`` when there is no such index.
    public func search(
        _ text: String, index: String? = nil, limit: Int = 25, bookmark: String? = nil,
        highlighting highlights: SearchHighlights? = nil
    ) async throws(StoreError) -> SearchPage {
        var request = SearchRequest(text, index: index)
        request.limit = max(0, min(limit, TextLimits.searchHitsMax))
        request.bookmark = bookmark
        request.highlight = highlights?.style
        do {
            var run = try await SearchRun(request, in: self)
            var hits: [SearchHit] = []
            while case let found = try run.next(), !found.isEmpty {
                for hit in found {
                    guard let document = try hit.document?.document() else { continue }
                    hits.append(SearchHit(document: document, score: hit.score, highlights: hit.highlights))
                }
            }
            return SearchPage(hits: hits, total: run.total, bookmark: run.count < request.limit ? nil : run.bookmark)
        } catch let error as SearchIndexError {
            throw StoreError(.indexNotFound, error.reason)
        } catch {
            throw StoreError(text: error, subject: "searching \(name)")
        }
    }
}

/// What a search found.
public struct SearchPage: Sendable {
    /// The documents, the best first.
    public let hits: [SearchHit]
    /// How many documents match, on all pages.
    public let total: Int
    /// For the next page; `nil` when this is the last one.
    public let bookmark: String?

    package init(hits: [SearchHit], total: Int, bookmark: String?) {
        (self.hits, self.total, self.bookmark) = (hits, total, bookmark)
    }
}

/// A document that a search found.
public struct SearchHit: Sendable {
    /// The document.
    public let document: Document
    /// How well it matches (BM25); comparable within one search alone.
    public let score: Double
    /// Of each highlighted field in which something matches, its fragments in the order of the text.
    public let highlights: [String: [String]]

    package init(document: Document, score: Double, highlights: [String: [String]]) {
        (self.document, self.score, self.highlights) = (document, score, highlights)
    }
}

/// What is shown of the fields in which a search finds something.
public struct SearchHighlights: Sendable {
    /// The fields, inner ones with dots.
    public var fields: [String]
    /// What stands before each match. The text around it is as it is in the document, not escaped for HTML.
    public var before = "<em>"
    /// What stands behind each match.
    public var after = "</em>"
    /// How many fragments of a field are given at most, those with the most matches.
    public var fragmentsMax = 1
    /// How long a fragment is, in characters, without the marks; words at its ends are left out rather than cut.
    public var length = 100

    /// Highlights some fields.
    public init(_ fields: [String]) { self.fields = fields }

    fileprivate var style: TextHighlighter.Style {
        var style = TextHighlighter.Style(fields: fields)
        (style.before, style.after) = (before, after)
        (style.fragmentsMax, style.length) = (fragmentsMax, length)
        return style
    }
}
