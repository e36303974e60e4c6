//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_TEXTWORDS_H
#define GODWIT_TEXTWORDS_H

#include <stdint.h>

/// Use of FTS5's tokenizers without a table, and a custom one, `godwit_language`, for the words of languages. Return
/// codes are SQLite's.

struct fts5_api;
struct sqlite3;

/// FTS5's functions (SQLite, "FTS5", 7: "Extending FTS5"); NULL if SQLite has no FTS5.
struct fts5_api *_Nullable godwit_text_fts5(struct sqlite3 *_Nonnull connection);

// MARK: Tokenizers

typedef struct godwit_text_tokenizer godwit_text_tokenizer;

/// Creates a tokenizer of FTS5; NULL if the name is unknown, or the arguments are invalid.
godwit_text_tokenizer *_Nullable godwit_text_tokenizer_open(
    struct sqlite3 *_Nonnull connection, const char *_Nonnull name, const char *_Nonnull const *_Nonnull arguments,
    int32_t count);

/// The number of words in a text.
int64_t godwit_text_tokenizer_count(
    godwit_text_tokenizer *_Nonnull tokenizer, const char *_Nonnull text, int32_t bytes);

/// The words of a text, each on a separate line, and their number of bytes; NULL for no words. Free it with
/// `godwit_text_words_release`.
char *_Nullable godwit_text_tokenizer_words(
    godwit_text_tokenizer *_Nonnull tokenizer, const char *_Nonnull text, int32_t bytes, int32_t *_Nonnull words_bytes);

void godwit_text_words_release(char *_Nonnull words);

/// Called with a word, and its position in the text, in bytes.
typedef void (*godwit_text_word)(
    void *_Nonnull context, const char *_Nonnull word, int32_t bytes, int32_t start, int32_t end);

/// Calls a function with each word of a text, in order.
void godwit_text_tokenizer_each(
    godwit_text_tokenizer *_Nonnull tokenizer, const char *_Nonnull text, int32_t bytes, void *_Nonnull context,
    godwit_text_word _Nonnull word);

void godwit_text_tokenizer_close(godwit_text_tokenizer *_Nonnull tokenizer);

// MARK: Languages

/// Registers the tokenizer `godwit_language` with a connection; its one argument is the name of a language.
int godwit_text_languages_register(struct sqlite3 *_Nonnull connection);

/// The name of a language by its number from 0; NULL after the last.
const char *_Nullable godwit_text_language_name(int32_t number);

/// The reason why the words of a language are not available; NULL if they are.
const char *_Nullable godwit_text_language_failure(const char *_Nonnull name);

/// A number that changes if the words of a language may change: with this code, another Snowball or another ICU.
uint64_t godwit_text_language_version(const char *_Nonnull name);

#endif
