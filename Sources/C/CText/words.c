//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The tokenizer `godwit_language`: words of a language for an index.
//
// FTS5's own unicode61 divides a text into runs of letters, marks and digits in lower case; it is fast and accepts
// bytes that are not UTF-8. Each run is converted to words here: divided if its script has no spaces, composed, reduced
// by Snowball, and stripped of diacritics, in this order, because Snowball expects words in their usual spelling.
// ASCII, most of most texts, skips all steps but Snowball. No memory is allocated for a word. Snowball takes up to a
// microsecond for one, and a few hundred different words are most of any text, so after some words a tokenizer caches
// the stems of the last ones.
//
// A run that is longer than `word_bytes_max` is added to the index unchanged. Runs for ICU's dictionary are divided,
// because its memory grows with their length.

#include "textwords.h"

#include "dictionary.h"
#include "hash.h"
#include "language.h"
#include "normalization.h"
#include "snowball.h"
#include "utf8.h"

#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

enum {
    /// The longest word that is changed further than to lower case, in bytes.
    word_bytes_max = 256,
    /// The longest run that is passed to ICU's dictionary at once, in bytes.
    dictionary_bytes_max = 4096,
    /// The number of cached stems, the maximum length of their words, and the number of words after which the cache is
    /// worth its 64 KB.
    memory_stems = 1024,
    memory_bytes_max = 31,
    memory_words_min = 256,
};

/// A word and its stem.
typedef struct {
    uint8_t word_bytes, stem_bytes;
    char word[memory_bytes_max], stem[memory_bytes_max];
} remembered;

typedef struct {
    const godwit_language *language;
    fts5_tokenizer runs;
    Fts5Tokenizer *run_tokenizer;
    struct sb_stemmer *stemmer;
    /// The number of reduced words, and a cache of the last ones by their hashes; NULL while there are few.
    int64_t word_count;
    remembered *memory;
    /// Opened when it is first needed.
    godwit_dictionary *dictionary;
} tokenizer;

/// The state of a text that is being divided.
typedef struct {
    tokenizer *tokenizer;
    const char *text;
    int bytes;
    /// The end of the last run; -1 before the first.
    int last_end;
    void *context;
    int (*word)(void *, int, const char *, int, int, int);
} pass;

/// A part of a run: in lower case, and its range in the text.
typedef struct {
    const char *letters;
    int bytes;
    int start, end;
} stretch;

// MARK: One word

static bool is_mark(int32_t letter) {
    return (letter >= 0x300 && letter < 0x370) || letter == 0x3099 || letter == 0x309A;
}

/// Corrects a lower-case letter that was created by other rules than the Turkish ones.
static int32_t turkish(int32_t letter, int32_t written) {
    if (written == 'I') return 0x131;
    return written == 0x130 ? 'i' : letter;
}

/// Snowball expects s and t of Romanian with a cedilla; their correct spelling has a comma.
static int32_t with_cedilla(int32_t letter) {
    if (letter == 0x219) return 0x15F;
    return letter == 0x21B ? 0x163 : letter;
}

/// Composes letters with their marks, and converts letters.
///
/// \param written The word as in the text; NULL if that does not matter.
/// \param room Has `2 * word_bytes_max` bytes: a letter may take one more byte than before.
/// \returns The number of bytes of the result.
static int rewrite(const char *word, int bytes, const char *written, int written_bytes, godwit_letter fold, char *room) {
    int place = 0, written_place = 0, count = 0, last_start = 0;
    int32_t last = 0;
    while (place < bytes) {
        int32_t letter = next_letter(word, &place, bytes);
        if (written != NULL && written_place < written_bytes)
            letter = turkish(letter, next_letter(written, &written_place, written_bytes));
        letter = fold != NULL ? fold(letter) : with_cedilla(letter);
        if (letter == 0) continue;
        if (is_mark(letter) && last != 0) {
            int32_t composed = godwit_compose(last, letter);
            if (composed > 0) {
                letter = composed;
                count = last_start;
            }
        }
        last_start = count;
        last = letter;
        append_letter(room, &count, letter);
    }
    return count;
}

/// Whether a small letter is prefixed to a capital vowel.
static bool has_irish_prefix(const char *written, int bytes) {
    if (bytes < 2 || (written[0] != 'n' && written[0] != 't')) return false;
    int place = 1;
    switch (next_letter(written, &place, bytes)) {
    case 'A': case 'E': case 'I': case 'O': case 'U': return true;
    case 0xC1: case 0xC9: case 0xCD: case 0xD3: case 0xDA: return true;
    default: return false;
    }
}

static int give(pass *pass, stretch word) {
    return pass->word(pass->context, 0, word.letters, word.bytes, word.start, word.end);
}

/// The cache entry for a word; NULL if it is not cached.
static remembered *place_of(tokenizer *tokenizer, stretch word) {
    if (word.bytes > memory_bytes_max || ++tokenizer->word_count < memory_words_min) return NULL;
    if (tokenizer->memory == NULL) {
        tokenizer->memory = sqlite3_malloc64(memory_stems * sizeof(remembered));
        if (tokenizer->memory == NULL) return NULL;
        memset(tokenizer->memory, 0, memory_stems * sizeof(remembered));
    }
    uint64_t hash = godwit_hash(godwit_hash_seed, word.letters, (size_t)word.bytes);
    return &tokenizer->memory[(hash ^ hash >> 32) % memory_stems];
}

static stretch stemmed(tokenizer *tokenizer, stretch word) {
    remembered *place = place_of(tokenizer, word);
    if (place != NULL && place->word_bytes == word.bytes && memcmp(place->word, word.letters, (size_t)word.bytes) == 0)
        return (stretch){place->stem, place->stem_bytes, word.start, word.end};
    int bytes = 0;
    const char *stem = godwit_snowball_stem(tokenizer->stemmer, word.letters, word.bytes, &bytes);
    if (stem == NULL || bytes <= 0 || bytes > word_bytes_max) return word;
    if (place != NULL && bytes <= memory_bytes_max) {
        place->word_bytes = (uint8_t)word.bytes;
        place->stem_bytes = (uint8_t)bytes;
        memcpy(place->word, word.letters, (size_t)word.bytes);
        memcpy(place->stem, stem, (size_t)bytes);
    }
    return (stretch){stem, bytes, word.start, word.end};
}

static int give_word(pass *pass, stretch word) {
    tokenizer *tokenizer = pass->tokenizer;
    const godwit_language *language = tokenizer->language;
    if (word.bytes > word_bytes_max) return give(pass, word);
    const char *written = pass->text + word.start;
    int written_bytes = word.end - word.start;
    char before[2 * word_bytes_max], after[4 * word_bytes_max];
    if (language->is_irish && has_irish_prefix(written, written_bytes)) {
        word.letters++;
        word.bytes--;
    }
    if (tokenizer->stemmer != NULL) {
        if (language->is_turkish || !is_ascii(word.letters, word.bytes)) {
            word.bytes = rewrite(word.letters, word.bytes, language->is_turkish ? written : NULL, written_bytes, NULL, before);
            word.letters = before;
        }
        if (word.bytes <= word_bytes_max) word = stemmed(tokenizer, word);
    }
    if (!is_ascii(word.letters, word.bytes)) {
        word.bytes = rewrite(word.letters, word.bytes, NULL, 0, language->fold, after);
        word.letters = after;
    }
    return word.bytes > 0 ? give(pass, word) : SQLITE_OK;
}

// MARK: Scripts without spaces

static bool is_cjk(int32_t letter) {
    if (letter < 0x1100) return false;
    return letter <= 0x11FF || (letter >= 0x2E80 && letter <= 0x2FDF) || (letter >= 0x3005 && letter <= 0x3007)
        || (letter >= 0x3021 && letter <= 0x3035) || (letter >= 0x3040 && letter <= 0x31FF)
        || (letter >= 0x3400 && letter <= 0x9FFF) || (letter >= 0xA960 && letter <= 0xA97F)
        || (letter >= 0xAC00 && letter <= 0xD7FF) || (letter >= 0xF900 && letter <= 0xFAFF)
        || (letter >= 0xFF66 && letter <= 0xFFDC) || (letter >= 0x1AFF0 && letter <= 0x1B16F)
        || (letter >= 0x20000 && letter <= 0x3FFFF);
}

/// Whether a letter belongs to the one before it.
static bool joins(int32_t letter) {
    return is_mark(letter) || letter == 0xFF9E || letter == 0xFF9F;
}

/// An iterator over a run in lower case and the same run in the text; both have the same number of letters.
typedef struct {
    const char *text;
    stretch run;
    int place, written;
} walk;

static int32_t step(walk *walk) {
    int32_t letter = next_letter(walk->run.letters, &walk->place, walk->run.bytes);
    if (walk->written < walk->run.end) next_letter(walk->text, &walk->written, walk->run.end);
    return letter;
}

static int32_t peek(const walk *walk) {
    int place = walk->place;
    return next_letter(walk->run.letters, &place, walk->run.bytes);
}

static bool is_over(const walk *walk) { return walk->place >= walk->run.bytes; }

/// The part between two positions of an iterator.
static stretch between(walk from, const walk *to) {
    return (stretch){from.run.letters + from.place, to->place - from.place, from.written, to->written};
}

/// Moves past a character and the letters that join it.
static void step_character(walk *walk) {
    step(walk);
    while (!is_over(walk) && joins(peek(walk))) step(walk);
}

static int give_pairs(pass *pass, stretch run) {
    walk at = {pass->text, run, 0, run.start};
    int code = SQLITE_OK;
    while (!is_over(&at) && code == SQLITE_OK) {
        walk start = at;
        if (!is_cjk(peek(&at))) {
            while (!is_over(&at) && !is_cjk(peek(&at))) step(&at);
            code = give_word(pass, between(start, &at));
            continue;
        }
        step_character(&at);
        if (is_over(&at) || !is_cjk(peek(&at))) code = give_word(pass, between(start, &at));
        while (!is_over(&at) && is_cjk(peek(&at)) && code == SQLITE_OK) {
            walk second = at;
            step_character(&at);
            code = give_word(pass, between(start, &at));
            start = second;
        }
    }
    return code;
}

static bool needs_dictionary(stretch run) {
    for (int place = 0; place < run.bytes;)
        if (next_letter(run.letters, &place, run.bytes) >= 0xE00) return true;
    return false;
}

/// Passes a part of the text to the dictionary; false if it fails.
static bool look(pass *pass, int start, int end) {
    tokenizer *tokenizer = pass->tokenizer;
    if (tokenizer->dictionary == NULL) tokenizer->dictionary = godwit_dictionary_open();
    return tokenizer->dictionary != NULL && godwit_dictionary_read(tokenizer->dictionary, pass->text + start, end - start);
}

static int give_by_dictionary(pass *pass, stretch run) {
    if (!needs_dictionary(run)) return give_word(pass, run);
    walk at = {pass->text, run, 0, run.start};
    int code = SQLITE_OK;
    while (!is_over(&at) && code == SQLITE_OK) {
        walk piece = at;
        while (!is_over(&piece) && piece.written - at.written < dictionary_bytes_max) step(&piece);
        int start = at.written;
        if (!look(pass, start, piece.written)) return SQLITE_NOMEM;
        for (int32_t end; code == SQLITE_OK && (end = godwit_dictionary_next(pass->tokenizer->dictionary)) >= 0;) {
            walk word = at;
            while (!is_over(&at) && at.written < start + end) step(&at);
            if (at.place > word.place) code = give_word(pass, between(word, &at));
        }
        at = piece;
    }
    return code;
}

// MARK: Runs

/// The number of bytes of a mark at an offset; 0 for another character. An apostrophe may be a curved one.
static int mark_bytes(const pass *pass, int place, char mark) {
    if (place < pass->bytes && pass->text[place] == mark) return 1;
    bool is_curved = mark == '\'' && pass->bytes - place >= 3 && memcmp(pass->text + place, "\u2019", 3) == 0;
    return is_curved ? 3 : 0;
}

/// Whether a run is one of the words of a list that spaces separate.
static bool is_among(const char *words, stretch run) {
    for (const char *place = words; (place = strchr(place, ' ')) != NULL && place[1] != '\0';) {
        place++;
        if (strncmp(place, run.letters, (size_t)run.bytes) == 0 && place[run.bytes] == ' ') return true;
    }
    return false;
}

/// Whether a mark joins a run to a letter after it.
static bool is_joined(const pass *pass, stretch run, char mark) {
    int bytes = mark_bytes(pass, run.end, mark);
    if (bytes == 0 || run.end + bytes >= pass->bytes) return false;
    unsigned char next = (unsigned char)pass->text[run.end + bytes];
    return next >= 0x80 || (unsigned)((next | 0x20) - 'a') < 26;
}

static bool is_elided(const pass *pass, stretch run) {
    const godwit_language *language = pass->tokenizer->language;
    if (language->elided == NULL || run.bytes > 8) return false;
    bool is_joint = is_joined(pass, run, language->elision) || (language->is_irish && is_joined(pass, run, '-'));
    return is_joint && is_among(language->elided, run);
}

/// Whether an apostrophe separates a run from the one before it.
static bool is_ending(const pass *pass, stretch run) {
    if (!pass->tokenizer->language->is_turkish || pass->last_end < 0) return false;
    int bytes = mark_bytes(pass, pass->last_end, '\'');
    return bytes > 0 && pass->last_end + bytes == run.start;
}

static int take_run(void *context, int flags, const char *letters, int bytes, int start, int end) {
    (void)flags;
    pass *pass = context;
    stretch run = {letters, bytes, start, end};
    bool goes = is_ending(pass, run) || is_elided(pass, run);
    pass->last_end = end;
    if (goes) return SQLITE_OK;
    switch (pass->tokenizer->language->division) {
    case godwit_language_runs: return give_word(pass, run);
    case godwit_language_dictionary: return give_by_dictionary(pass, run);
    case godwit_language_pairs: return give_pairs(pass, run);
    }
    return SQLITE_OK;
}

// MARK: The tokenizer

static void delete_tokenizer(Fts5Tokenizer *handle) {
    tokenizer *tokenizer = (void *)handle;
    if (tokenizer->run_tokenizer != NULL) tokenizer->runs.xDelete(tokenizer->run_tokenizer);
    if (tokenizer->stemmer != NULL) godwit_snowball_close(tokenizer->stemmer);
    sqlite3_free(tokenizer->memory);
    if (tokenizer->dictionary != NULL) godwit_dictionary_close(tokenizer->dictionary);
    sqlite3_free(tokenizer);
}

static int open_runs(tokenizer *tokenizer, fts5_api *api) {
    const char *arguments[] = {"remove_diacritics", "0", "categories", "L* M* N* Co", "tokenchars",
                               tokenizer->language->joiners};
    int count = tokenizer->language->joiners != NULL ? 6 : 4;
    void *context = NULL;
    int code = api->xFindTokenizer(api, "unicode61", &context, &tokenizer->runs);
    return code == SQLITE_OK ? tokenizer->runs.xCreate(context, arguments, count, &tokenizer->run_tokenizer) : code;
}

static int create_tokenizer(void *api, const char **arguments, int count, Fts5Tokenizer **made) {
    const godwit_language *language = count == 1 ? godwit_language_find(arguments[0]) : NULL;
    if (language == NULL) return SQLITE_ERROR;
    tokenizer *tokenizer = sqlite3_malloc64(sizeof *tokenizer);
    if (tokenizer == NULL) return SQLITE_NOMEM;
    memset(tokenizer, 0, sizeof *tokenizer);
    tokenizer->language = language;
    int code = open_runs(tokenizer, api);
    if (code == SQLITE_OK && language->algorithm != NULL) {
        tokenizer->stemmer = godwit_snowball_open(language->algorithm);
        if (tokenizer->stemmer == NULL) code = SQLITE_ERROR;
    }
    if (code == SQLITE_OK) *made = (Fts5Tokenizer *)tokenizer;
    else delete_tokenizer((Fts5Tokenizer *)tokenizer);
    return code;
}

static int tokenize(Fts5Tokenizer *handle, void *context, int flags, const char *text, int bytes,
                    int (*word)(void *, int, const char *, int, int, int)) {
    tokenizer *tokenizer = (void *)handle;
    pass pass = {tokenizer, text, bytes, -1, context, word};
    return tokenizer->runs.xTokenize(tokenizer->run_tokenizer, &pass, flags, text, bytes, take_run);
}

int godwit_text_languages_register(sqlite3 *connection) {
    static fts5_tokenizer functions = {create_tokenizer, delete_tokenizer, tokenize};
    fts5_api *api = godwit_text_fts5(connection);
    return api != NULL ? api->xCreateTokenizer(api, "godwit_language", api, &functions, NULL) : SQLITE_ERROR;
}
