//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Swift has no variables of a thread.

#include "CInvariants.h"

#include <stddef.h>

static _Thread_local struct godwit_scope scope;

struct godwit_scope godwit_scope_enter(void) {
    struct godwit_scope outer = scope;
    scope = (struct godwit_scope){.is_active = true};
    return outer;
}

struct godwit_broken godwit_scope_leave(struct godwit_scope outer) {
    struct godwit_broken first = scope.first;
    scope = outer;
    return first;
}

bool godwit_scope_break(struct godwit_broken broken) {
    if (!scope.is_active) return false;
    if (scope.first.rule == NULL) scope.first = broken;
    return true;
}
