//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "library.h"
#include "cjavascriptcore.h"

#include <pthread.h>

struct godwit_js_library js;
static const char *failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__APPLE__)

// The framework exports this function; its public headers do not declare it.
extern void JSContextGroupSetExecutionTimeLimit(JSContextGroupRef, double, godwit_js_should_terminate, void *);

static void load(void) {
#define F(result, name, parameters) js.name = (result(*) parameters)JS##name;
    GODWIT_JS_FUNCTIONS(F)
#undef F
}

#else

#include <dlfcn.h>

static void load(void) {
    void *library = dlopen("libjavascriptcoregtk-4.1.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) library = dlopen("libjavascriptcoregtk-6.0.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        failure = "JavaScriptCore is not installed. On Debian and Ubuntu: apt-get install libjavascriptcoregtk-4.1-0";
        return;
    }
#define F(result, name, parameters)                                                               \
    js.name = (result(*) parameters)dlsym(library, "JS" #name);                                   \
    if (js.name == NULL) {                                                                        \
        failure = "The JavaScriptCore that is installed has no function JS" #name " and is too old."; \
        return;                                                                                   \
    }
    GODWIT_JS_FUNCTIONS(F)
#undef F
}

#endif

const char *godwit_js_load(void) {
    pthread_once(&once, load);
    return failure;
}
