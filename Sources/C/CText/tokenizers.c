//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "textwords.h"

#include <sqlite3.h>
#include <stddef.h>

struct fts5_api *godwit_text_fts5(sqlite3 *connection) {
    fts5_api *api = NULL;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_pointer(statement, 1, (void *)&api, "fts5_api_ptr", NULL);
        sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    return api;
}

struct godwit_text_tokenizer {
    fts5_tokenizer functions;
    Fts5Tokenizer *tokenizer;
};

godwit_text_tokenizer *godwit_text_tokenizer_open(sqlite3 *connection, const char *name, const char *const *arguments,
                                                  int32_t count) {
    fts5_api *api = godwit_text_fts5(connection);
    void *context = NULL;
    godwit_text_tokenizer *made = api ? sqlite3_malloc64(sizeof(godwit_text_tokenizer)) : NULL;
    if (!made) return NULL;
    if (api->xFindTokenizer(api, name, &context, &made->functions) == SQLITE_OK
        && made->functions.xCreate(context, (const char **)arguments, count, &made->tokenizer) == SQLITE_OK)
        return made;
    sqlite3_free(made);
    return NULL;
}

static int count_word(void *context, int flags, const char *text, int bytes, int start, int end) {
    (void)text;
    (void)bytes;
    (void)start;
    (void)end;
    if (!(flags & FTS5_TOKEN_COLOCATED)) ++*(int64_t *)context;
    return SQLITE_OK;
}

int64_t godwit_text_tokenizer_count(godwit_text_tokenizer *tokenizer, const char *text, int32_t bytes) {
    int64_t count = 0;
    tokenizer->functions.xTokenize(tokenizer->tokenizer, &count, FTS5_TOKENIZE_DOCUMENT, text, bytes, count_word);
    return count;
}

static int append_word(void *context, int flags, const char *text, int bytes, int start, int end) {
    (void)start;
    (void)end;
    sqlite3_str *words = context;
    if (flags & FTS5_TOKEN_COLOCATED) return SQLITE_OK;
    if (sqlite3_str_length(words) > 0) sqlite3_str_appendchar(words, 1, '\n');
    sqlite3_str_append(words, text, bytes);
    return SQLITE_OK;
}

char *godwit_text_tokenizer_words(godwit_text_tokenizer *tokenizer, const char *text, int32_t bytes,
                                  int32_t *words_bytes) {
    sqlite3_str *words = sqlite3_str_new(NULL);
    tokenizer->functions.xTokenize(tokenizer->tokenizer, words, FTS5_TOKENIZE_DOCUMENT, text, bytes, append_word);
    *words_bytes = sqlite3_str_length(words);
    return sqlite3_str_finish(words);
}

void godwit_text_words_release(char *words) { sqlite3_free(words); }

typedef struct {
    void *context;
    godwit_text_word word;
} listener;

static int tell_word(void *context, int flags, const char *text, int bytes, int start, int end) {
    const listener *listener = context;
    if (!(flags & FTS5_TOKEN_COLOCATED)) listener->word(listener->context, text, bytes, start, end);
    return SQLITE_OK;
}

void godwit_text_tokenizer_each(godwit_text_tokenizer *tokenizer, const char *text, int32_t bytes, void *context,
                                godwit_text_word word) {
    listener listener = {context, word};
    tokenizer->functions.xTokenize(tokenizer->tokenizer, &listener, FTS5_TOKENIZE_DOCUMENT, text, bytes, tell_word);
}

void godwit_text_tokenizer_close(godwit_text_tokenizer *tokenizer) {
    tokenizer->functions.xDelete(tokenizer->tokenizer);
    sqlite3_free(tokenizer);
}
