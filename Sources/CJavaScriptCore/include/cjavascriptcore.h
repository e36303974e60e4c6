//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CJAVASCRIPTCORE_H
#define GODWIT_CJAVASCRIPTCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// JavaScriptCore as Godwit uses it: texts go in, texts come out. On Linux the library is loaded when it is first asked for, so
// that a process that runs no JavaScript neither starts slower nor grows by it; on Apple's systems it is linked.

/// Loads JavaScriptCore.
///
/// @return NULL, or why it cannot be had; the text belongs to this library.
const char *godwit_js_load(void);

/// A virtual machine: contexts that share a heap. One thread at a time may use it.
typedef struct godwit_js_group godwit_js_group;

godwit_js_group *godwit_js_group_create(void);

/// Frees a machine; its contexts must be freed before.
void godwit_js_group_free(godwit_js_group *group);

/// Ends whatever runs longer than so many seconds of processor time, from the next call on.
void godwit_js_group_set_time_limit(godwit_js_group *group, double seconds);

/// What a context asks of the program around it.
struct godwit_js_host {
    /// Handed to the functions below.
    void *info;
    /// Takes a line of a log.
    void (*log)(void *info, const char *line, size_t length);
    /// Answers a question in the midst of a call. The answer was made by `malloc`; NULL ends the call.
    char *(*ask)(void *info, const char *question, size_t length);
};

/// A world of its own: its globals are seen by no other context.
typedef struct godwit_js_context godwit_js_context;

/// Makes a context.
///
/// @param runtime The text of a function that takes `{log, ask}` and gives an object of functions, which can be called by
///   their names and which nothing else that runs in the context can reach.
/// @param error Why there is none: a text made by `malloc`.
godwit_js_context *godwit_js_context_create(godwit_js_group *group, const char *runtime, struct godwit_js_host host,
                                            char **error);

void godwit_js_context_free(godwit_js_context *context);

/// What a call came to.
struct godwit_js_answer {
    /// The text that was given, or what was thrown; made by `malloc`.
    char *text;
    size_t length;
    /// Whether it was thrown.
    bool failed;
    /// Whether it was ended at its time limit.
    bool expired;
};

/// Calls a function of the runtime with texts in UTF-8 that end with NUL.
struct godwit_js_answer godwit_js_call(godwit_js_context *context, const char *function, const char *const *arguments,
                                       size_t count);

#endif
