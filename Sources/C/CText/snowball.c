//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE  // RTLD_DEFAULT, dladdr

#include "snowball.h"

#include "hash.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The functions of Snowball's interface that Godwit uses, called through a table.

#define FUNCTIONS(F)                                                                                \
    F(struct sb_stemmer *, sb_stemmer_new, (const char *, const char *))                            \
    F(void, sb_stemmer_delete, (struct sb_stemmer *))                                               \
    F(const unsigned char *, sb_stemmer_stem, (struct sb_stemmer *, const unsigned char *, int))    \
    F(int, sb_stemmer_length, (struct sb_stemmer *))

static struct {
#define F(result, name, parameters) result(*name) parameters;
    FUNCTIONS(F)
#undef F
} snowball;

static const char *failure;
static uint64_t version;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__APPLE__)
static const char *const files[] = {"libstemmer.dylib", "libstemmer.0.dylib"};
#else
// Debian's name, and that of other systems.
static const char *const files[] = {"libstemmer.so.0d", "libstemmer.so.0"};
#endif

static void *open_library(void) {
    for (size_t number = 0; number < sizeof files / sizeof *files; number++) {
        void *library = dlopen(files[number], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) return library;
    }
    return NULL;
}

static uint64_t hash_file(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    struct stat status;
    uint64_t hash = 0;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            hash = godwit_hash(godwit_hash_seed, bytes, size);
            munmap(bytes, size);
        }
    }
    close(file);
    return hash;
}

static void load(void) {
    // An app that links Snowball itself has it in the process already.
    void *library = dlsym(RTLD_DEFAULT, "sb_stemmer_new") != NULL ? RTLD_DEFAULT : open_library();
    if (library == NULL && dlsym(RTLD_DEFAULT, "sb_stemmer_new") == NULL) {
        failure = "Snowball is not installed. On Debian and Ubuntu: apt-get install libstemmer0d";
        return;
    }
#define F(result, name, parameters)                                                       \
    snowball.name = (result(*) parameters)dlsym(library, #name);                          \
    if (snowball.name == NULL) {                                                          \
        failure = "The Snowball that is installed has no function " #name " and is too old."; \
        return;                                                                           \
    }
    FUNCTIONS(F)
#undef F
    Dl_info place;
    if (dladdr((const void *)snowball.sb_stemmer_new, &place) != 0) version = hash_file(place.dli_fname);
}

const char *godwit_snowball_load(void) {
    pthread_once(&once, load);
    return failure;
}

uint64_t godwit_snowball_version(void) {
    pthread_once(&once, load);
    return version;
}

struct sb_stemmer *godwit_snowball_open(const char *algorithm) {
    return godwit_snowball_load() == NULL ? snowball.sb_stemmer_new(algorithm, "UTF_8") : NULL;
}

const char *godwit_snowball_stem(struct sb_stemmer *stemmer, const char *word, int bytes, int *stem_bytes) {
    const unsigned char *stem = snowball.sb_stemmer_stem(stemmer, (const unsigned char *)word, bytes);
    *stem_bytes = stem != NULL ? snowball.sb_stemmer_length(stemmer) : 0;
    return (const char *)stem;
}

void godwit_snowball_close(struct sb_stemmer *stemmer) { snowball.sb_stemmer_delete(stemmer); }
