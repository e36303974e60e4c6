//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_TEXTRANK_H
#define GODWIT_TEXTRANK_H

#include <stdbool.h>
#include <stdint.h>

/// Functions over FTS5 tables. Codes returned are SQLite's.

struct sqlite3;

/// Makes the functions `godwit_text_collect` and `godwit_text_spans` known to a connection; once for each.
int godwit_text_register(struct sqlite3 *_Nonnull connection);

// MARK: Collecting hits

/// How the row ids of an index are made: a document's number, and below it the length of its text in words.
enum { GODWIT_TEXT_LENGTH_BITS = 20 };

/// How many phrases are gathered at most: each takes ten bytes for each document that it is in.
enum { GODWIT_TEXT_GATHERED_MAX = 4 };

/// A hit.
typedef struct {
    int64_t row;
    double score;
} godwit_text_candidate;

/// What all pages of one search have in common.
typedef struct {
    /// Whether the rest is known; if not, the first hit fills it in.
    bool is_known;
    int64_t documents;
    double average_length;
    /// How many phrases the query has, and of each whether it counts, and in how many documents it is.
    int32_t phrase_count;
    const bool *_Nonnull counts;
    int64_t *_Nonnull frequencies;
} godwit_text_statistics;

/// One pass over the hits of a query, in the order of their rows: the best of them are kept.
typedef struct {
    godwit_text_statistics *_Nullable statistics;
    /// Which of the phrases make a hit: the bit of a set of them, as a number, says whether a document that has these and
    /// no other is one. 0 leaves it to FTS5. There are no more than GODWIT_TEXT_GATHERED_MAX of them.
    uint16_t truth;
    /// How many hits are wanted.
    int64_t limit;
    /// Hits above this score, and at it those up to this row, were before.
    bool is_placed;
    double place_score;
    int64_t place_row;
    /// Rows that are passed over, ascending; those of them that are hits are kept apart.
    const int64_t *_Nullable excluded;
    int64_t excluded_count;
    int64_t excluded_position;

    /// The documents' numbers among which hits are ranked, ascending; NULL for all.
    const int64_t *_Nullable among;
    int64_t among_count;
    int64_t among_position;

    /// By how much the hits of each column count more; NULL where all count the same.
    const double *_Nullable boosts;
    int32_t boost_count;

    /// All hits, those passed over too.
    int64_t hits;
    /// The best, in their order once they are sorted.
    godwit_text_candidate *_Nullable candidates;
    int64_t candidate_count;
    int64_t candidate_room;
    double least;
    /// The hits among the rows that are passed over.
    int64_t *_Nullable passed;
    int64_t passed_count;
    int64_t passed_room;
    bool is_prepared;
    /// Room for one weight of each phrase.
    double *_Nullable weights;
} godwit_text_collection;

/// The name under which a collection is bound.
extern const char *_Nonnull const godwit_text_collection_type;

/// Sorts the candidates, the best first and equals by their rows, and keeps no more than are wanted.
void godwit_text_sort(godwit_text_collection *_Nonnull collection);

/// Gives the memory of a collection back, not the collection itself.
void godwit_text_release(godwit_text_collection *_Nonnull collection);

// MARK: Spans

/// Where the matches of a row are in the text of its first column, in bytes, by their begin; they may overlap.
typedef struct {
    int32_t start;
    int32_t end;
} godwit_text_span;

typedef struct {
    godwit_text_span *_Nullable spans;
    int64_t count;
} godwit_text_spans;

/// The name under which spans are bound.
extern const char *_Nonnull const godwit_text_spans_type;

/// Gives the memory of spans back.
void godwit_text_spans_release(godwit_text_spans *_Nonnull spans);

#endif
