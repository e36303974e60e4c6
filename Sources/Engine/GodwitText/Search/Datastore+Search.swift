//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
public import GodwitStore

extension Datastore {
    /// Returns a page of the documents that match a text query, the best match first, optionally with highlighted
    /// matches.
    ///
    /// ```swift
    /// try await trips.ensureTextIndex(["title", "notes"], named: "words", analyzer: "english")
    /// let page = try await trips.search("bodega AND harbor*", highlighting: SearchHighlights(["notes"]))
    /// for hit in page.hits { print(hit.score, hit.document.id!, hit.highlights["notes"] ?? []) }
    /// ```
    ///
    /// The search runs locally, without a network. Adjacent words must all occur. `AND`, `OR`, `NOT`, phrases in
    /// quotes, `word*`, `field:word` and `field:[1 TO 5]` are supported too.
    ///
    /// The database can change between pages. A document that exists and matches during all pages is returned once, at
    /// its rank when the first page was read. A document that is edited between pages may be missing in two cases: its
    /// earlier text is longer than ``TextLimits/historyBytesMax``, or more than ``TextLimits/historyMax`` texts were
    /// replaced. A document that is created between pages is not returned.
    ///
    /// - Parameters:
    ///   - text: The query.
    ///   - index: The name of the text index; `nil` if the database has only one text index. If several indexes have
    ///     the name, write the name of the design document and a slash before it. If the index is being built, the
    ///     search waits for it.
    ///   - limit: The maximum number of documents, at most ``TextLimits/searchHitsMax``.
    ///   - bookmark: The ``SearchPage/bookmark`` of the previous page; `nil` for the first page.
    ///   - highlights: The options for highlighted fragments of the matching fields; `nil` for no fragments.
    /// - Throws: ``StoreError`` with these codes, and with another code when the database cannot be read:
    ///   - ``StoreError/Code/invalidRequest`` for a query that cannot be parsed, with the position of the error.
    ///   - ``StoreError/Code/invalidRequest`` for a bookmark of a different search.
    ///   - ``StoreError/Code/indexNotFound`` when the index does not exist, or is deleted during the search.
    ///   - ``StoreError/Code/indexNotFound`` when the index needs JavaScript, or covers the documents of all owners.
    ///   - ``StoreError/Code/indexNotFound`` when no index is named and the database does not have exactly one text
    ///     index.
    public func search(
        _ text: String, index: String? = nil, limit: Int = 25, bookmark: String? = nil,
        highlighting highlights: SearchHighlights? = nil
    ) async throws(StoreError) -> SearchPage {
        var request = SearchRequest(text, index: index)
        request.limit = max(0, min(limit, TextLimits.searchHitsMax))
        request.bookmark = bookmark
        request.highlight = highlights?.style
        do {
            var searchRun = try await SearchRun(request, in: self)
            var hits: [SearchHit] = []
            while case let foundHits = try searchRun.next(), !foundHits.isEmpty {
                for hit in foundHits {
                    guard let document = try hit.document?.document() else { continue }
                    hits.append(SearchHit(document: document, score: hit.score, highlights: .init(hit.highlights)))
                }
            }
            return SearchPage(
                hits: hits, total: searchRun.total, bookmark: searchRun.count < request.limit ? nil : searchRun.bookmark
            )
        } catch let error as SearchIndexError {
            throw StoreError(.indexNotFound, error.reason)
        } catch {
            throw StoreError(text: error, subject: "searching \(name)")
        }
    }
}

/// A page of the results of a text search.
public struct SearchPage: Sendable {
    /// The documents, the best match first.
    public let hits: [SearchHit]
    /// The number of documents that match, on all pages.
    public let total: Int
    /// The bookmark for the next page; `nil` when fewer documents than the limit were found, so that this page is the
    /// last.
    public let bookmark: String?

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - hits: The documents of the page, the best match first.
    ///   - total: The number of documents that match, on all pages.
    ///   - bookmark: The bookmark for the next page; `nil` for the last page.
    package init(hits: [SearchHit], total: Int, bookmark: String?) {
        (self.hits, self.total, self.bookmark) = (hits, total, bookmark)
    }
}

/// A document that a text search found.
public struct SearchHit: Sendable {
    /// The document.
    public let document: Document
    /// The relevance (BM25). Scores are comparable within one search only.
    public let score: Double
    /// The fragments of each highlighted field that matches.
    public let highlights: Highlights

    /// Creates a hit from its document, its relevance, and the fragments of its highlighted fields.
    package init(document: Document, score: Double, highlights: Highlights) {
        (self.document, self.score, self.highlights) = (document, score, highlights)
    }

    /// The highlighted fragments of a document, by field. Names of fields are compared by bytes, so `"\u{e9}"` and
    /// `"e\u{301}"` are two fields.
    public struct Highlights: Equatable, Sendable, ExpressibleByDictionaryLiteral {
        private let fragments: [ExactText: [String]]

        /// Creates highlights from fields and their fragments. Each field may be listed once.
        public init(dictionaryLiteral fields: (String, [String])...) {
            fragments = Dictionary(uniqueKeysWithValues: fields.map { (ExactText($0), $1) })
        }

        /// Creates highlights from the fragments of each field.
        package init(_ fragments: [ExactText: [String]]) { self.fragments = fragments }

        /// The fields with fragments, in bytewise order.
        public var fields: [String] { fragments.keys.sorted().map(\.text) }

        /// Whether no field has fragments.
        public var isEmpty: Bool { fragments.isEmpty }

        /// The fragments of a field, in the order of its text; `nil` if it has none.
        public subscript(field: String) -> [String]? { fragments[ExactText(field)] }

        /// Whether both have the same fields with the same fragments, byte by byte.
        public static func == (left: Highlights, right: Highlights) -> Bool {
            left.fragments.mapValues { $0.map { ExactText($0) } }
                == right.fragments.mapValues { $0.map { ExactText($0) } }
        }
    }
}

/// Options for highlighting the matches of a search.
public struct SearchHighlights: Sendable {
    /// The fields, with dotted paths for fields of inner objects.
    public var fields: [String]
    /// The text before each match. The fragments contain the text of the document unchanged, not escaped for HTML.
    public var before = "<em>"
    /// The text after each match.
    public var after = "</em>"
    /// The maximum number of fragments of a field, at least 0 and at most ``TextLimits/fragmentsMax``. The fragments
    /// with the most matches are returned.
    public var fragmentsMax = 1
    /// The length of a fragment in Unicode scalars, without ``before`` and ``after``, at most
    /// ``TextLimits/fragmentLengthMax``. Words that do not fit completely at the ends of a fragment are omitted. A
    /// match that is longer than this is returned completely.
    public var length = 100

    /// Creates options for highlighting some fields.
    public init(_ fields: [String]) { self.fields = fields }

    fileprivate var style: TextHighlighter.Style {
        var style = TextHighlighter.Style(fields: fields)
        (style.before, style.after) = (before, after)
        (style.fragmentsMax, style.length) = (fragmentsMax, length)
        return style
    }
}
