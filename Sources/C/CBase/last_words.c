//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE

#include "CLastWords.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAS_BACKTRACE 1
#endif

static const struct {
    int number;
    const char *name;
} faults[] = {{SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},
              {SIGBUS, "SIGBUS"}, {SIGSEGV, "SIGSEGV"}, {SIGFPE, "SIGFPE"}};
enum { FAULTS = sizeof faults / sizeof *faults, FRAMES_MAX = 64 };

static struct sigaction earlier[FAULTS];
static int file = -1;
static off_t position;
/// The address of the executable, whose functions have no names for the loader.
static void *executable;
static char words[LAST_WORDS_BYTES_MAX];
static size_t length;
static atomic_flag isKept = ATOMIC_FLAG_INIT, hasBegun = ATOMIC_FLAG_INIT;

/// Appends a line; a line that does not fit is left out.
static void add(const char *line) {
    size_t count = strlen(line);
    if (length + count + 1 > sizeof words) return;
    memcpy(words + length, line, count);
    words[length + count] = '\n';
    length += count + 1;
}

/// Appends a line with a plus sign and the hexadecimal digits of an offset in the executable.
static void addOffset(uintptr_t offset) {
    char digits[2 + 2 * sizeof offset];
    char *digit = digits + sizeof digits - 1;
    *digit = 0;
    do *--digit = "0123456789abcdef"[offset & 15];
    while ((offset >>= 4) > 0);
    *--digit = '+';
    add(digit);
}

/// Appends a line with a number.
static void addNumber(time_t number) {
    char digits[24];
    char *digit = digits + sizeof digits - 1;
    *digit = 0;
    do *--digit = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    add(digit);
}

/// The handler reads tables of the loader and writes to its own memory and to the file. It allocates nothing.
static void handle(int signal, siginfo_t *info, void *context) {
    (void)context;
    int index = 0;
    while (index < FAULTS - 1 && faults[index].number != signal) index++;
    if (!atomic_flag_test_and_set(&hasBegun)) {
        add(faults[index].name);
        addNumber(time(NULL));
#ifdef HAS_BACKTRACE
        void *frames[FRAMES_MAX];
        int count = backtrace(frames, FRAMES_MAX);
        // The first two frames are this handler and the return from the signal.
        for (int i = 2; i < count; i++) {
            Dl_info symbol;
            if (!dladdr(frames[i], &symbol)) continue;
            if (symbol.dli_sname) add(symbol.dli_sname);
            else if (symbol.dli_fbase == executable) addOffset((uintptr_t)frames[i] - (uintptr_t)executable);
        }
#endif
        ssize_t written = pwrite(file, words, length, position);
        (void)written;
    }
    // The instruction is executed again, and the earlier action ends the process. A signal that was sent is sent again.
    sigaction(signal, &earlier[index], NULL);
    if (info->si_code <= 0) raise(signal);
}

int last_words_keep(const char *path, int64_t offset) {
    if (atomic_flag_test_and_set(&isKept)) return 0;
    file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        int error = errno;
        atomic_flag_clear(&isKept);
        return error;
    }
    position = offset;
    Dl_info own;
    if (dladdr((void *)last_words_keep, &own)) executable = own.dli_fbase;
#ifdef HAS_BACKTRACE
    // The first call loads a library, which a signal handler must not do.
    void *frame;
    backtrace(&frame, 1);
#endif
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < FAULTS; i++) sigaction(faults[i].number, &action, &earlier[i]);
    return 0;
}
