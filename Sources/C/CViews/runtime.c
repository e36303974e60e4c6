//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CScriptRuntime.h"

static const char runtime[] = {
#embed "javascript/begin.js"
    ,
#embed "javascript/functions.js"
    ,
#embed "javascript/views.js"
    ,
#embed "javascript/filters.js"
    ,
#embed "javascript/rendering.js"
    ,
#embed "javascript/search.js"
    ,
#embed "javascript/places.js"
    ,
#embed "javascript/trials.js"
    ,
#embed "javascript/end.js"
    , 0};

const char *godwit_script_runtime(void) { return runtime; }
