//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE  // RTLD_DEFAULT

#include "geos_library.h"
#include "cgeos.h"

#include <dlfcn.h>
#include <pthread.h>

struct godwit_geos_library geos;
static const char *failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__APPLE__)
static const char *const file = "libgeos_c.1.dylib";
#else
static const char *const file = "libgeos_c.so.1";
#endif

static void load(void) {
    // An app that links GEOS itself has it in the process already.
    void *library = dlsym(RTLD_DEFAULT, "GEOS_init_r") != NULL ? RTLD_DEFAULT : dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL && dlsym(RTLD_DEFAULT, "GEOS_init_r") == NULL) {
        failure = "GEOS is not installed. On Debian and Ubuntu: apt-get install libgeos-c1v5";
        return;
    }
#define F(result, name, parameters)                                                     \
    geos.name = (result(*) parameters)dlsym(library, "GEOS" #name);                     \
    if (geos.name == NULL) {                                                            \
        failure = "The GEOS that is installed has no function GEOS" #name " and is too old."; \
        return;                                                                         \
    }
    GODWIT_GEOS_FUNCTIONS(F)
#undef F
    geos._interruptRegisterCallback(godwit_geos_check_deadline);
}

const char *godwit_geos_load(void) {
    pthread_once(&once, load);
    return failure;
}
