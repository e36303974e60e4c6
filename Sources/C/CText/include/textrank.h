//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_TEXTRANK_H
#define GODWIT_TEXTRANK_H

#include <stdbool.h>
#include <stdint.h>

/// Functions over FTS5 tables. Return codes are SQLite's.

struct sqlite3;

/// Registers the functions `godwit_text_collect` and `godwit_text_spans` with a connection; once for each.
int godwit_text_register(struct sqlite3 *_Nonnull connection);

// MARK: Collecting hits

/// Row ids of an index consist of a document's number, and in the low bits the length of its text in words.
enum { GODWIT_TEXT_LENGTH_BITS = 20 };

/// The maximum number of phrases that are gathered: each takes ten bytes for each document that contains it.
enum { GODWIT_TEXT_GATHERED_MAX = 4 };

/// A hit.
typedef struct {
    int64_t row;
    double score;
} godwit_text_candidate;

/// Data that all pages of one search share.
typedef struct {
    /// Whether the other members are set; if not, the first hit sets them.
    bool is_known;
    int64_t documents;
    double average_length;
    /// The number of phrases in the query; for each whether it counts, and the number of documents that contain it.
    int32_t phrase_count;
    const bool *_Nonnull counts;
    int64_t *_Nonnull frequencies;
} godwit_text_statistics;

/// One pass over the hits of a query, in the order of their rows; it collects the best of them.
typedef struct {
    godwit_text_statistics *_Nullable statistics;
    /// The sets of phrases that make a hit: a set is a number with a bit for each phrase, and bit n of `truth` is
    /// whether a document with exactly the phrases of set n is a hit. 0 leaves the decision to FTS5. There are at most
    /// GODWIT_TEXT_GATHERED_MAX phrases.
    uint16_t truth;
    /// The number of requested hits.
    int64_t limit;
    /// Whether earlier pages contain the hits above this score, and those with this score up to this row.
    bool is_placed;
    double place_score;
    int64_t place_row;
    /// Rows that are skipped, ascending; the hits among them are collected separately.
    const int64_t *_Nullable excluded;
    int64_t excluded_count;
    int64_t excluded_position;

    /// The numbers of the documents whose hits are ranked, ascending; NULL for all.
    const int64_t *_Nullable among;
    int64_t among_count;
    int64_t among_position;

    /// The boost of each column; NULL if all columns count the same.
    const double *_Nullable boosts;
    int32_t boost_count;

    /// The number of all hits, including skipped ones.
    int64_t hits;
    /// The best hits, in their order after sorting.
    godwit_text_candidate *_Nullable candidates;
    int64_t candidate_count;
    int64_t candidate_room;
    double least;
    /// The hits among the skipped rows.
    int64_t *_Nullable passed;
    int64_t passed_count;
    int64_t passed_room;
    bool is_prepared;
    /// Space for one weight of each phrase.
    double *_Nullable weights;
} godwit_text_collection;

/// The pointer type for binding a collection.
extern const char *_Nonnull const godwit_text_collection_type;

/// Sorts the candidates, the best first and equal ones by row, and keeps the requested number.
void godwit_text_sort(godwit_text_collection *_Nonnull collection);

/// Frees the memory of a collection's members, not the collection itself.
void godwit_text_release(godwit_text_collection *_Nonnull collection);

// MARK: Spans

/// The matches of a row in the text of its first column, in bytes, sorted by their start; they may overlap.
typedef struct {
    int32_t start;
    int32_t end;
} godwit_text_span;

typedef struct {
    godwit_text_span *_Nullable spans;
    int64_t count;
} godwit_text_spans;

/// The pointer type for binding spans.
extern const char *_Nonnull const godwit_text_spans_type;

/// Frees the memory of spans.
void godwit_text_spans_release(godwit_text_spans *_Nonnull spans);

#endif
