//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Ranking by BM25, without FTS5's own function.
//
// FTS5's bm25() reads the length of each hit from a separate table, which costs a microsecond a row: a word in 50 000
// documents costs 50 ms. It also counts documents and frequencies again in each query, so that the score of an
// unchanged document changes with every write, and a page has no stable position. Here the length is a part of the row
// id, so that only the index is read, and the counts are taken once for a search and passed from page to page. The
// scores are Lucene's: BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) with an idf that is
// never negative.
//
// If a query consists of a few words and their operators, the function reads the hits of each word by FTS5's
// xQueryPhrase and merges them itself. That counts and ranks at once, and one pass costs 20 ns a row instead of SQL's
// 50.
//
// Otherwise the function is called in WHERE and returns false: one sqlite3_step visits all hits. Only a few of the best
// are collected; sorting in SQL would cost more than the search. Hits with equal scores are sorted by row, that is by
// the documents' numbers: an order by id would look up the id of each, and thousands may be equal.

#include "textrank.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <textwords.h>

const char *const godwit_text_collection_type = "godwit_text_collection";
const char *const godwit_text_spans_type = "godwit_text_spans";

/// BM25's parameters: the saturation of a word's frequency, and the influence of the text's length; Lucene's values.
static const double saturation = 1.2;
static const double length_share = 0.75;

// MARK: Collecting

static int count_row(const Fts5ExtensionApi *api, Fts5Context *context, void *count) {
    (void)api;
    (void)context;
    ++*(int64_t *)count;
    return SQLITE_OK;
}

static bool is_gathered(const godwit_text_collection *collection) {
    return collection->truth != 0;
}

static int prepare_statistics(const Fts5ExtensionApi *api, Fts5Context *context, godwit_text_collection *collection) {
    godwit_text_statistics *statistics = collection->statistics;
    sqlite3_int64 rows = 0, words = 0;
    int code = api->xRowCount(context, &rows);
    if (code == SQLITE_OK) code = api->xColumnTotalSize(context, -1, &words);
    if (code != SQLITE_OK) return code;
    statistics->documents = rows;
    // Each document has one additional word, by which all are found.
    statistics->average_length = rows > 0 && words > rows ? (double)(words - rows) / (double)rows : 1;
    // Gathering also counts the frequencies.
    if (is_gathered(collection)) return SQLITE_OK;
    for (int phrase = 0; phrase < statistics->phrase_count; phrase++) {
        int64_t frequency = 0;
        if (statistics->counts[phrase]) code = api->xQueryPhrase(context, phrase, &frequency, count_row);
        if (code != SQLITE_OK) return code;
        statistics->frequencies[phrase] = frequency;
    }
    return SQLITE_OK;
}

static void prepare_weights(godwit_text_collection *collection) {
    godwit_text_statistics *statistics = collection->statistics;
    for (int phrase = 0; phrase < statistics->phrase_count; phrase++) {
        double frequency = (double)statistics->frequencies[phrase];
        double idf = log(1 + ((double)statistics->documents - frequency + 0.5) / (frequency + 0.5));
        if (!(idf > 1e-6)) idf = 1e-6;
        collection->weights[phrase] = statistics->counts[phrase] ? idf * (saturation + 1) : 0;
    }
    collection->least = -1;
}

static double norm(const godwit_text_collection *collection, int64_t row) {
    double length = (double)(row & ((1 << GODWIT_TEXT_LENGTH_BITS) - 1));
    return saturation * (1 - length_share + length_share * length / collection->statistics->average_length);
}

/// The number of occurrences of a phrase, and its boost: the mean of the boosts of the columns in which it occurs; for
/// one column it is that column's boost, as in Lucene.
static int occurrences(const Fts5ExtensionApi *api, Fts5Context *context, int phrase,
                       const godwit_text_collection *collection, double *boost) {
    Fts5PhraseIter iterator;
    int column, offset, count = 0;
    double sum = 0;
    *boost = 1;
    if (api->xPhraseFirst(context, phrase, &iterator, &column, &offset) != SQLITE_OK) return 0;
    for (; column >= 0; api->xPhraseNext(context, &iterator, &column, &offset)) {
        count++;
        if (collection->boosts) sum += column < collection->boost_count ? collection->boosts[column] : 1;
    }
    if (collection->boosts && count > 0) *boost = sum / count;
    return count;
}

static double score(const Fts5ExtensionApi *api, Fts5Context *context, const godwit_text_collection *collection,
                    int64_t row) {
    double row_norm = norm(collection, row), sum = 0;
    for (int phrase = 0; phrase < collection->statistics->phrase_count; phrase++) {
        if (collection->weights[phrase] == 0) continue;
        double boost;
        int count = occurrences(api, context, phrase, collection, &boost);
        sum += collection->weights[phrase] * boost * count / (count + row_norm);
    }
    return sum;
}

static int descending(const void *left, const void *right) {
    double a = ((const godwit_text_candidate *)left)->score, b = ((const godwit_text_candidate *)right)->score;
    if (a != b) return a < b ? 1 : -1;
    int64_t first = ((const godwit_text_candidate *)left)->row, second = ((const godwit_text_candidate *)right)->row;
    return first < second ? -1 : first > second;
}

void godwit_text_sort(godwit_text_collection *collection) {
    if (collection->candidate_count == 0) return;
    qsort(collection->candidates, (size_t)collection->candidate_count, sizeof(godwit_text_candidate), descending);
    if (collection->candidate_count < collection->limit) return;
    collection->candidate_count = collection->limit;
    collection->least = collection->candidates[collection->limit - 1].score;
}

static bool make_room(void **memory, int64_t *room, int64_t count, size_t size) {
    if (count < *room) return true;
    int64_t larger = *room ? *room * 2 : 256;
    void *moved = sqlite3_realloc64(*memory, (sqlite3_uint64)larger * size);
    if (!moved) return false;
    *memory = moved;
    *room = larger;
    return true;
}

static bool append(int64_t **rows, int64_t *count, int64_t *room, int64_t row) {
    if (!make_room((void **)rows, room, *count, sizeof(int64_t))) return false;
    (*rows)[(*count)++] = row;
    return true;
}

static bool keep(godwit_text_collection *collection, int64_t row, double score) {
    if (collection->is_placed && score >= collection->place_score
        && (score > collection->place_score || row <= collection->place_row))
        return true;
    // Rows are ascending, and of equal hits the first counts: a hit equal to the last requested one is too late.
    if (score <= collection->least) return true;
    if (collection->candidate_count == collection->candidate_room && collection->candidate_count > 2 * collection->limit)
        godwit_text_sort(collection);
    if (!make_room((void **)&collection->candidates, &collection->candidate_room, collection->candidate_count,
                   sizeof(godwit_text_candidate)))
        return false;
    collection->candidates[collection->candidate_count++] = (godwit_text_candidate){row, score};
    return true;
}

static bool is_excluded(godwit_text_collection *collection, int64_t row) {
    while (collection->excluded_position < collection->excluded_count
           && collection->excluded[collection->excluded_position] < row)
        collection->excluded_position++;
    return collection->excluded_position < collection->excluded_count
        && collection->excluded[collection->excluded_position] == row;
}

static bool is_among(godwit_text_collection *collection, int64_t row) {
    if (!collection->among) return true;
    int64_t number = row >> GODWIT_TEXT_LENGTH_BITS;
    while (collection->among_position < collection->among_count
           && collection->among[collection->among_position] < number)
        collection->among_position++;
    return collection->among_position < collection->among_count
        && collection->among[collection->among_position] == number;
}

static bool note(godwit_text_collection *collection, int64_t row, double score) {
    collection->hits++;
    if (is_excluded(collection, row))
        return append(&collection->passed, &collection->passed_count, &collection->passed_room, row);
    return collection->limit <= 0 || !is_among(collection, row) || keep(collection, row, score);
}

// MARK: Gathering

/// The hits of one phrase; only those that an earlier phrase also has, if others do not matter.
typedef struct gathering {
    int64_t *rows;
    int64_t row_room;
    uint16_t *counts;
    int64_t count_room;
    /// The boosts of the occurrences; NULL if all count the same.
    double *boosts;
    int64_t boost_room;
    int64_t count;
    /// The number of all hits.
    int64_t total;
    /// The position of the merge, or of the gathering of the next phrase.
    int64_t position;
    struct gathering *before;
    /// Whether the number of occurrences counts.
    bool counts_matter;
    const godwit_text_collection *collection;
} gathering;

static bool is_at(gathering *gathering, int64_t row) {
    while (gathering->position < gathering->count && gathering->rows[gathering->position] < row) gathering->position++;
    return gathering->position < gathering->count && gathering->rows[gathering->position] == row;
}

static int gather_row(const Fts5ExtensionApi *api, Fts5Context *context, void *data) {
    gathering *gathering = data;
    int64_t row = api->xRowid(context);
    gathering->total++;
    if (gathering->before && !is_at(gathering->before, row)) return SQLITE_OK;
    if (!make_room((void **)&gathering->rows, &gathering->row_room, gathering->count, sizeof(int64_t))
        || !make_room((void **)&gathering->counts, &gathering->count_room, gathering->count, sizeof(uint16_t)))
        return SQLITE_NOMEM;
    double boost = 1;
    int count = gathering->counts_matter ? occurrences(api, context, 0, gathering->collection, &boost) : 0;
    if (gathering->collection->boosts) {
        if (!make_room((void **)&gathering->boosts, &gathering->boost_room, gathering->count, sizeof(double)))
            return SQLITE_NOMEM;
        gathering->boosts[gathering->count] = boost;
    }
    gathering->rows[gathering->count] = row;
    gathering->counts[gathering->count++] = (uint16_t)(count < UINT16_MAX ? count : UINT16_MAX);
    return SQLITE_OK;
}

/// The lowest row that contains one of the phrases.
static bool next_row(const gathering *gatherings, int count, int64_t *row) {
    bool is_there = false;
    for (int phrase = 0; phrase < count; phrase++) {
        const gathering *gathering = &gatherings[phrase];
        if (gathering->position == gathering->count) continue;
        int64_t here = gathering->rows[gathering->position];
        if (!is_there || here < *row) *row = here;
        is_there = true;
    }
    return is_there;
}

/// The phrases, as a set, that every hit contains.
static unsigned required(const godwit_text_collection *collection) {
    unsigned common = (1u << collection->statistics->phrase_count) - 1;
    for (unsigned set = 0; set < 16; set++)
        if (collection->truth >> set & 1) common &= set;
    return common;
}

/// The last phrase before `phrase` that is in a set; -1 if there is no such phrase.
static int last_in(unsigned set, int phrase) {
    while (--phrase >= 0 && !(set >> phrase & 1)) {}
    return phrase;
}

static int merge(godwit_text_collection *collection, gathering *gatherings, int count) {
    // The last phrase that every hit contains leads the merge: its rows are a subset of the others'.
    int last = last_in(required(collection), count);
    gathering *leading = last < 0 ? gatherings : &gatherings[last];
    int leading_count = last < 0 ? count : 1;
    int64_t row = 0;
    for (int phrase = 0; phrase < count; phrase++) gatherings[phrase].position = 0;
    while (next_row(leading, leading_count, &row)) {
        double row_norm = norm(collection, row), sum = 0;
        unsigned set = 0;
        for (int phrase = 0; phrase < count; phrase++) {
            if (!is_at(&gatherings[phrase], row)) continue;
            int64_t position = gatherings[phrase].position++;
            int occurrences = gatherings[phrase].counts[position];
            double boost = gatherings[phrase].boosts ? gatherings[phrase].boosts[position] : 1;
            sum += collection->weights[phrase] * boost * occurrences / (occurrences + row_norm);
            set |= 1u << phrase;
        }
        if (collection->truth >> set & 1 && !note(collection, row, sum)) return SQLITE_NOMEM;
    }
    return SQLITE_OK;
}

static int collect_gathered(const Fts5ExtensionApi *api, Fts5Context *context, godwit_text_collection *collection) {
    godwit_text_statistics *statistics = collection->statistics;
    gathering gatherings[GODWIT_TEXT_GATHERED_MAX] = {0};
    int code = SQLITE_OK;
    for (int phrase = 0; phrase < statistics->phrase_count && code == SQLITE_OK; phrase++) {
        int before = last_in(required(collection), phrase);
        if (before >= 0) {
            gatherings[phrase].before = &gatherings[before];
            gatherings[before].position = 0;
        }
        gatherings[phrase].counts_matter = statistics->counts[phrase];
        gatherings[phrase].collection = collection;
        code = api->xQueryPhrase(context, phrase, &gatherings[phrase], gather_row);
        if (!statistics->is_known) statistics->frequencies[phrase] = gatherings[phrase].total;
    }
    prepare_weights(collection);
    if (code == SQLITE_OK) code = merge(collection, gatherings, statistics->phrase_count);
    for (int phrase = 0; phrase < statistics->phrase_count; phrase++) {
        sqlite3_free(gatherings[phrase].rows);
        sqlite3_free(gatherings[phrase].counts);
        sqlite3_free(gatherings[phrase].boosts);
    }
    return code;
}

// MARK: The function

static int prepare(const Fts5ExtensionApi *api, Fts5Context *context, godwit_text_collection *collection) {
    if (api->xPhraseCount(context) != collection->statistics->phrase_count) return SQLITE_MISUSE;
    if (!collection->statistics->is_known) {
        int code = prepare_statistics(api, context, collection);
        if (code != SQLITE_OK) return code;
    }
    if (!is_gathered(collection)) prepare_weights(collection);
    collection->is_prepared = true;
    return SQLITE_OK;
}

/// True when all hits are collected: then no further row is needed.
static void collect(const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *result, int count,
                    sqlite3_value **values) {
    godwit_text_collection *collection =
        count == 1 ? sqlite3_value_pointer(values[0], godwit_text_collection_type) : NULL;
    int code = collection ? SQLITE_OK : SQLITE_MISUSE;
    if (code == SQLITE_OK && !collection->is_prepared) code = prepare(api, context, collection);
    if (code == SQLITE_OK && is_gathered(collection)) {
        code = collect_gathered(api, context, collection);
    } else if (code == SQLITE_OK) {
        int64_t row = api->xRowid(context);
        if (!note(collection, row, score(api, context, collection, row))) code = SQLITE_NOMEM;
    }
    if (code == SQLITE_OK) sqlite3_result_int(result, is_gathered(collection));
    else sqlite3_result_error_code(result, code);
}

void godwit_text_release(godwit_text_collection *collection) {
    sqlite3_free(collection->candidates);
    sqlite3_free(collection->passed);
    collection->candidates = NULL;
    collection->passed = NULL;
}

// MARK: Spans

/// A match as a range of words, and as a range of bytes.
typedef struct {
    int first, last;
    int start, end;
} match;

typedef struct {
    match *matches;
    int count;
    /// All matches before this one end before the current word.
    int open;
    int word;
} placement;

static int by_first(const void *left, const void *right) {
    int a = ((const match *)left)->first, b = ((const match *)right)->first;
    return a < b ? -1 : a > b;
}

static int place_word(void *context, int flags, const char *text, int bytes, int start, int end) {
    (void)text;
    (void)bytes;
    placement *placement = context;
    if (flags & FTS5_TOKEN_COLOCATED) return SQLITE_OK;
    for (int index = placement->open; index < placement->count; index++) {
        match *match = &placement->matches[index];
        if (match->first > placement->word) break;
        if (match->first == placement->word) match->start = start;
        if (match->last >= placement->word) match->end = end;
        else if (index == placement->open) placement->open++;
    }
    placement->word++;
    return SQLITE_OK;
}

static int find_matches(const Fts5ExtensionApi *api, Fts5Context *context, placement *placement) {
    int count = 0;
    int code = api->xInstCount(context, &count);
    if (code != SQLITE_OK || count == 0) return code;
    placement->matches = sqlite3_malloc64((sqlite3_uint64)count * sizeof(match));
    if (!placement->matches) return SQLITE_NOMEM;
    for (int index = 0; index < count && code == SQLITE_OK; index++) {
        int phrase, column, offset;
        code = api->xInst(context, index, &phrase, &column, &offset);
        if (code != SQLITE_OK || column != 0) continue;
        placement->matches[placement->count++] =
            (match){offset, offset + api->xPhraseSize(context, phrase) - 1, 0, 0};
    }
    qsort(placement->matches, (size_t)placement->count, sizeof(match), by_first);
    return code;
}

static int find_spans(const Fts5ExtensionApi *api, Fts5Context *context, godwit_text_spans *spans) {
    placement placement = {0};
    const char *text = NULL;
    int bytes = 0;
    int code = find_matches(api, context, &placement);
    if (code == SQLITE_OK) code = api->xColumnText(context, 0, &text, &bytes);
    if (code == SQLITE_OK && placement.count > 0) {
        code = api->xTokenize(context, text, bytes, &placement, place_word);
        spans->spans = sqlite3_malloc64((sqlite3_uint64)placement.count * sizeof(godwit_text_span));
        if (!spans->spans) code = SQLITE_NOMEM;
        for (int index = 0; index < placement.count && code == SQLITE_OK; index++)
            spans->spans[spans->count++] =
                (godwit_text_span){placement.matches[index].start, placement.matches[index].end};
    }
    sqlite3_free(placement.matches);
    return code;
}

static void spans(const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *result, int count,
                  sqlite3_value **values) {
    godwit_text_spans *spans = count == 1 ? sqlite3_value_pointer(values[0], godwit_text_spans_type) : NULL;
    int code = spans ? find_spans(api, context, spans) : SQLITE_MISUSE;
    if (code != SQLITE_OK) sqlite3_result_error_code(result, code);
}

void godwit_text_spans_release(godwit_text_spans *spans) {
    sqlite3_free(spans->spans);
    *spans = (godwit_text_spans){0};
}

// MARK: FTS5

int godwit_text_register(sqlite3 *connection) {
    fts5_api *api = godwit_text_fts5(connection);
    if (!api) return SQLITE_ERROR;
    int code = api->xCreateFunction(api, "godwit_text_collect", NULL, collect, NULL);
    if (code == SQLITE_OK) code = api->xCreateFunction(api, "godwit_text_spans", NULL, spans, NULL);
    return code;
}
