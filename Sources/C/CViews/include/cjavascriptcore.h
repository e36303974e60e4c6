//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CJAVASCRIPTCORE_H
#define GODWIT_CJAVASCRIPTCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// JavaScriptCore as Godwit uses it, with texts as input and output. On Linux the library is loaded when it is first
// needed, so that a process without JavaScript neither starts more slowly nor needs more memory; on Apple's systems it
// is linked.

/// Loads JavaScriptCore.
///
/// @return NULL, or the reason why it cannot be loaded; the text belongs to this library.
const char *godwit_js_load(void);

/// A virtual machine: contexts that share a heap. One thread at a time may use it.
typedef struct godwit_js_group godwit_js_group;

godwit_js_group *godwit_js_group_create(void);

/// Frees a machine; its contexts must be freed first.
void godwit_js_group_free(godwit_js_group *group);

/// Ends calls that run longer than `seconds` of processor time, from the next call on.
void godwit_js_group_set_time_limit(godwit_js_group *group, double seconds);

/// The functions that a context can call in the host program.
struct godwit_js_host {
    /// Passed to the functions below.
    void *info;
    /// Writes a line to a log.
    void (*log)(void *info, const char *line, size_t length);
    /// Answers a question during a call. The answer was allocated by `malloc`; NULL ends the call.
    char *(*ask)(void *info, const char *question, size_t length);
};

/// A separate global environment: other contexts cannot access its globals.
typedef struct godwit_js_context godwit_js_context;

/// Creates a context.
///
/// @param runtime The text of a function with the parameter `{log, ask}` that returns an object of functions. The host
///   calls them by name; other code in the context cannot access them.
/// @param error The reason of a failure: a text allocated by `malloc`.
godwit_js_context *godwit_js_context_create(godwit_js_group *group, const char *runtime, struct godwit_js_host host,
                                            char **error);

void godwit_js_context_free(godwit_js_context *context);

/// The result of a call.
struct godwit_js_answer {
    /// The returned text, or the thrown error; allocated by `malloc`.
    char *text;
    size_t length;
    /// Whether the text is a thrown error.
    bool failed;
    /// Whether the call ended at its time limit.
    bool expired;
};

/// Calls a function of the runtime with texts in UTF-8 that end with NUL.
struct godwit_js_answer godwit_js_call(godwit_js_context *context, const char *function, const char *const *arguments,
                                       size_t count);

#endif
