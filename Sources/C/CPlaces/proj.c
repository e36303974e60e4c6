//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE  // RTLD_DEFAULT

#include "cproj.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// The functions of PROJ's interface that Godwit uses, called through a table.

typedef struct pj_ctx PJ_CONTEXT;
typedef struct PJconsts PJ;

#define FUNCTIONS(F)                                                                                                  \
    F(PJ_CONTEXT *, proj_context_create, (void))                                                                      \
    F(PJ_CONTEXT *, proj_context_destroy, (PJ_CONTEXT *))                                                             \
    F(int, proj_context_set_enable_network, (PJ_CONTEXT *, int))                                                      \
    F(int, proj_log_level, (PJ_CONTEXT *, int))                                                                       \
    F(PJ *, proj_create_crs_to_crs, (PJ_CONTEXT *, const char *, const char *, void *))                               \
    F(PJ *, proj_normalize_for_visualization, (PJ_CONTEXT *, const PJ *))                                             \
    F(PJ *, proj_destroy, (PJ *))                                                                                     \
    F(size_t, proj_trans_generic,                                                                                     \
      (PJ *, int, double *, size_t, size_t, double *, size_t, size_t, double *, size_t, size_t, double *, size_t, size_t))

static struct {
#define F(result, name, parameters) result(*name) parameters;
    FUNCTIONS(F)
#undef F
} proj;

static const char *failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__APPLE__)
static const char *const file = "libproj.25.dylib";
#else
static const char *const file = "libproj.so.25";
#endif

static void load(void) {
    // An app that links PROJ itself has it in the process already.
    void *library = dlsym(RTLD_DEFAULT, "proj_context_create") != NULL ? RTLD_DEFAULT : dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL && dlsym(RTLD_DEFAULT, "proj_context_create") == NULL) {
        failure = "PROJ is not installed. On Debian and Ubuntu: apt-get install libproj25";
        return;
    }
#define F(result, name, parameters)                                                 \
    proj.name = (result(*) parameters)dlsym(library, #name);                        \
    if (proj.name == NULL) {                                                        \
        failure = "The PROJ that is installed has no function " #name " and is too old."; \
        return;                                                                     \
    }
    FUNCTIONS(F)
#undef F
}

const char *godwit_proj_load(void) {
    pthread_once(&once, load);
    return failure;
}

struct godwit_proj_transformation {
    PJ_CONTEXT *context;
    PJ *way;
};

godwit_proj_transformation *godwit_proj_transformation_create(const char *from, const char *to) {
    PJ_CONTEXT *context = proj.proj_context_create();
    proj.proj_log_level(context, 0);
    proj.proj_context_set_enable_network(context, 0);
    PJ *asDefined = proj.proj_create_crs_to_crs(context, from, to, NULL);
    PJ *way = asDefined == NULL ? NULL : proj.proj_normalize_for_visualization(context, asDefined);
    if (asDefined != NULL) proj.proj_destroy(asDefined);
    godwit_proj_transformation *made = way == NULL ? NULL : malloc(sizeof *made);
    if (made == NULL) {
        if (way != NULL) proj.proj_destroy(way);
        proj.proj_context_destroy(context);
        return NULL;
    }
    made->context = context;
    made->way = way;
    return made;
}

void godwit_proj_transformation_free(godwit_proj_transformation *transformation) {
    proj.proj_destroy(transformation->way);
    proj.proj_context_destroy(transformation->context);
    free(transformation);
}

void godwit_proj_transform(godwit_proj_transformation *transformation, double *coordinates, size_t stride, size_t count) {
    const int forward = 1;
    size_t bytes = stride * sizeof(double);
    proj.proj_trans_generic(transformation->way, forward, coordinates, bytes, count, coordinates + 1, bytes, count, NULL, 0,
                            0, NULL, 0, 0);
}
