#!/usr/bin/env bash
# JavaScriptCore (Linux): a script that reaches its time limit is stopped by SIGSEGV, and the process continues.
#
# JSContextGroupSetExecutionTimeLimit is the way to stop endless loops of strangers' functions in the process of a server or an app.
# When the time is over, another thread replaces the compiled code at the places where it can stop by an instruction that no program
# may execute; the handler that JavaScriptCore has set for SIGSEGV recognizes the place, puts the code back and lets the script end
# with an exception. So an ordinary, successful call contains a fault signal. A handler for crashes that is set later than that of
# JavaScriptCore sees "crashes" of a process that is well: one that writes a report, counts ends or exits must call the earlier
# handler first and look whether it has given up. A handler that was set before is replaced and sees nothing. It depends on which
# part of a program was first to run a script with a limit.
#
# Seen with libjavascriptcoregtk-4.1-0 2.50.6 (Debian 12) in November 2026, 20 endless loops with a limit of 0.1 s:
#   all 20 ended with an exception and the process ended in order; a handler that was set later saw SIGSEGV 103 to 134 times
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq libjavascriptcoregtk-4.1-0=2.50.6-1~deb12u2 libicu72 libglib2.0-0 libatomic1
for package in *.deb; do dpkg -x "$package" .; done
cat >loop.c <<'C'
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

static struct sigaction earlier;
static volatile int signals;

static void count(int number, siginfo_t *info, void *context) {
    signals++;
    if (earlier.sa_flags & SA_SIGINFO) earlier.sa_sigaction(number, info, context);
}

static bool is_over(const void *context, void *data) { return true; }

#define F(result, name, ...) result (*name)(__VA_ARGS__) = (result (*)(__VA_ARGS__))dlsym(library, #name)

int main(void) {
    void *library = dlopen("libjavascriptcoregtk-4.1.so.0", RTLD_NOW);
    if (!library) return printf("%s\n", dlerror()), 1;
    F(void *, JSContextGroupCreate, void);
    F(void *, JSGlobalContextCreateInGroup, void *, void *);
    F(void, JSContextGroupSetExecutionTimeLimit, void *, double, bool (*)(const void *, void *), void *);
    F(void *, JSStringCreateWithUTF8CString, const char *);
    F(void *, JSEvaluateScript, void *, void *, void *, void *, int, void **);
    void *group = JSContextGroupCreate(), *context = JSGlobalContextCreateInGroup(group, NULL);
    JSContextGroupSetExecutionTimeLimit(group, 0.1, is_over, NULL);
    void *loop = JSStringCreateWithUTF8CString("var n = 0; (function () { for (;;) n++; })()");
    int ended = 0;
    for (int turn = 0; turn <= 20; turn++) {
        void *exception = NULL;
        if (!JSEvaluateScript(context, loop, NULL, NULL, 1, &exception) && exception && turn) ended++;
        // After the first call JavaScriptCore has set its handler.
        struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO};
        if (!turn) sigaction(SIGSEGV, &action, &earlier);
    }
    printf("%d of 20 loops ended with an exception; a later handler saw SIGSEGV %d times\n", ended, signals);
    return ended == 20 && signals > 0 ? 0 : 1;
}
C
gcc -O1 -o loop loop.c -ldl
LD_LIBRARY_PATH=$(dirname "$(find "$folder/usr/lib" -name 'libjavascriptcoregtk-4.1.so.0')") ./loop
