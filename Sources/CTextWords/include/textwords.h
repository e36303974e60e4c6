//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_TEXTWORDS_H
#define GODWIT_TEXTWORDS_H

#include <stdint.h>

/// FTS5's tokenizers without a table, and one of our own, `godwit_language`, for the words of languages. Codes returned are
/// SQLite's.

struct fts5_api;
struct sqlite3;

/// FTS5's functions (SQLite, "FTS5", 7: "Extending FTS5"); NULL where SQLite has none.
struct fts5_api *_Nullable godwit_text_fts5(struct sqlite3 *_Nonnull connection);

// MARK: Tokenizers

typedef struct godwit_text_tokenizer godwit_text_tokenizer;

/// Makes a tokenizer of FTS5; NULL when there is none of this name, or it does not take the arguments.
godwit_text_tokenizer *_Nullable godwit_text_tokenizer_open(
    struct sqlite3 *_Nonnull connection, const char *_Nonnull name, const char *_Nonnull const *_Nonnull arguments,
    int32_t count);

/// How many words a text has.
int64_t godwit_text_tokenizer_count(
    godwit_text_tokenizer *_Nonnull tokenizer, const char *_Nonnull text, int32_t bytes);

/// The words of a text, each on a line of its own, and how many bytes they are; NULL when it has none. Give it back with
/// `godwit_text_words_release`.
char *_Nullable godwit_text_tokenizer_words(
    godwit_text_tokenizer *_Nonnull tokenizer, const char *_Nonnull text, int32_t bytes, int32_t *_Nonnull words_bytes);

void godwit_text_words_release(char *_Nonnull words);

/// Is told of a word, and where in the text it stands, in bytes.
typedef void (*godwit_text_word)(
    void *_Nonnull context, const char *_Nonnull word, int32_t bytes, int32_t start, int32_t end);

/// Tells of each word of a text in its order.
void godwit_text_tokenizer_each(
    godwit_text_tokenizer *_Nonnull tokenizer, const char *_Nonnull text, int32_t bytes, void *_Nonnull context,
    godwit_text_word _Nonnull word);

void godwit_text_tokenizer_close(godwit_text_tokenizer *_Nonnull tokenizer);

// MARK: Languages

/// Makes the tokenizer `godwit_language` known to a connection; its one argument is the name of a language.
int godwit_text_languages_register(struct sqlite3 *_Nonnull connection);

/// The name of a language by its number from 0; NULL behind the last.
const char *_Nullable godwit_text_language_name(int32_t number);

/// Why the words of a language cannot be had here; NULL when they can.
const char *_Nullable godwit_text_language_failure(const char *_Nonnull name);

/// Changes when the words of a language may be others than before: with this code, with another Snowball, with another ICU.
uint64_t godwit_text_language_version(const char *_Nonnull name);

#endif
