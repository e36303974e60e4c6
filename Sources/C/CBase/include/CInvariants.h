//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_INVARIANTS_H
#define GODWIT_INVARIANTS_H

#include <stdbool.h>

/// A broken rule: its text and its place in the source, as constants of the program. Without a broken rule all are NULL
/// or 0.
struct godwit_broken {
    const char *rule;
    const char *file;
    unsigned long line;
};

/// The scope of this thread.
struct godwit_scope {
    bool is_active;
    struct godwit_broken first;
};

/// Begins a scope on this thread, and returns the scope around it.
struct godwit_scope godwit_scope_enter(void);

/// Ends the scope of this thread, and makes `outer` the scope again. Returns the first rule that was broken in it.
struct godwit_broken godwit_scope_leave(struct godwit_scope outer);

/// Records a broken rule in the scope of this thread. Returns whether there is a scope.
bool godwit_scope_break(struct godwit_broken broken);

#endif
