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
#include <stdbool.h>
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

static void handle(int signal, siginfo_t *info, void *context);

/// Appends a line; a line that does not fit is left out.
static void add(const char *line) {
    size_t count = strlen(line);
    if (length + count + 1 > sizeof words) return;
    memcpy(words + length, line, count);
    words[length + count] = '\n';
    length += count + 1;
}

#ifdef HAS_BACKTRACE
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
#endif

/// Appends a line with a number.
static void addNumber(time_t number) {
    char digits[24];
    char *digit = digits + sizeof digits - 1;
    *digit = 0;
    do *--digit = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    add(digit);
}

/// Writes the words into the file.
static void write_words(void) {
    ssize_t written = pwrite(file, words, length, position);
    (void)written;
}

/// Composes the words and writes them into the file.
__attribute__((noinline)) static void leave_words(const char *signal) {
    add(signal);
    addNumber(time(NULL));
#ifdef HAS_BACKTRACE
    void *frames[FRAMES_MAX];
    int count = backtrace(frames, FRAMES_MAX);
    // The first three frames are this function, the handler and the return from the signal.
    for (int i = 3; i < count; i++) {
        Dl_info symbol;
        if (!dladdr(frames[i], &symbol)) continue;
        if (symbol.dli_sname) add(symbol.dli_sname);
        else if (symbol.dli_fbase == executable) addOffset((uintptr_t)frames[i] - (uintptr_t)executable);
    }
#endif
    write_words();
}

/// Takes the words back: the process continues.
static void withdraw_words(void) {
    memset(words, 0, length);
    write_words();
    length = 0;
    atomic_flag_clear(&hasBegun);
}

/// Whether this file's handler is the action for a signal.
static bool is_own_action(int signal) {
    struct sigaction current;
    return sigaction(signal, NULL, &current) == 0 && current.sa_flags & SA_SIGINFO && current.sa_sigaction == handle;
}

/// Calls the earlier handler of a signal.
///
/// Returns whether the process continues. A handler that gives up replaces the action for the signal.
static bool is_handled_earlier(int signal, const struct sigaction *action, siginfo_t *info, void *context) {
    static _Thread_local bool isCalling;
    bool hasFunction = action->sa_flags & SA_SIGINFO || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
    if (isCalling || !hasFunction) return false;
    isCalling = true;
    if (action->sa_flags & SA_SIGINFO) action->sa_sigaction(signal, info, context);
    else action->sa_handler(signal);
    isCalling = false;
    return is_own_action(signal);
}

/// The handler reads tables of the loader and writes to its own memory and to the file. It allocates nothing. Handlers
/// that were set earlier may use the signal for their own work: JavaScriptCore stops endless loops with SIGSEGV.
static void handle(int signal, siginfo_t *info, void *context) {
    int index = 0, error = errno;
    while (index < FAULTS - 1 && faults[index].number != signal) index++;
    bool isFirst = !atomic_flag_test_and_set(&hasBegun);
    if (isFirst) leave_words(faults[index].name);
    if (is_handled_earlier(signal, &earlier[index], info, context)) {
        if (isFirst) withdraw_words();
        errno = error;
        return;
    }
    // The instruction is executed again, and the earlier action ends the process. A signal that was sent is sent again.
    if (is_own_action(signal)) sigaction(signal, &earlier[index], NULL);
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
    for (int i = 0; i < FAULTS; i++) {
        if (sigaction(faults[i].number, NULL, &earlier[i]) != 0) continue;
        // The earlier handler is called with the mask that it expects.
        struct sigaction action = {.sa_sigaction = handle, .sa_mask = earlier[i].sa_mask};
        action.sa_flags = SA_ONSTACK | SA_SIGINFO | (earlier[i].sa_flags & SA_NODEFER);
        sigaction(faults[i].number, &action, NULL);
    }
    return 0;
}
