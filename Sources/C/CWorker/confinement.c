//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "CWorker.h"
#include "confinement.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)

#include <string.h>
#include <sys/syscall.h>

// MARK: Files

void godwit_close_inherited_files(void) {
#if !defined(__GLIBC__)
    syscall(SYS_close_range, 3, ~0U, 0);
#endif
}

// MARK: Memory

static struct {
    long pages_max;
    int statm;
    pid_t parent;
} watch;

/// The interval between checks of the memory. Allocation at the memory's maximum speed is some 20 MB in that time.
static const struct timespec interval = {.tv_nsec = 10000000};

/// The resident pages: the second number of `/proc/self/statm`.
static long resident(void) {
    char text[64];
    ssize_t count = pread(watch.statm, text, sizeof text - 1, 0);
    if (count <= 0) return 0;
    text[count] = 0;
    char *rest;
    strtol(text, &rest, 10);
    return strtol(rest, NULL, 10);
}

static void *look(void *unused) {
    while (1) {
        if (resident() > watch.pages_max) _exit(GODWIT_MEMORY_EXCEEDED_STATUS);
        if (getppid() != watch.parent) _exit(0);
        nanosleep(&interval, NULL);
    }
    return unused;
}

void godwit_watch_memory(size_t bytes_max) {
    watch.pages_max = (long)(bytes_max / (size_t)sysconf(_SC_PAGESIZE));
    watch.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    watch.parent = getppid();
    pthread_t thread;
    if (pthread_create(&thread, NULL, look, NULL) == 0) pthread_detach(thread);
}

// MARK: Confinement

/// The part of a time zone's path before its name.
static const char zone_folder[] = "/zoneinfo/";

/// Sets the machine's time zone in the environment: without a name the C library reads its file at each use.
static void name_time_zone(void) {
    char path[512];
    ssize_t count = readlink("/etc/localtime", path, sizeof path - 1);
    if (count <= 0 || getenv("TZ") != NULL) return;
    path[count] = 0;
    char *name = strstr(path, zone_folder);
    if (name == NULL) return;
    setenv("TZ", name + strlen(zone_folder), 0);
    tzset();
}

int godwit_confine(void) {
    name_time_zone();
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    int error = godwit_leave_file_system();
    return error != 0 ? error : godwit_limit_calls();
}

#else

void godwit_close_inherited_files(void) {
    for (int file = 3; file < 1024; file++) close(file);
}

void godwit_watch_memory(size_t bytes_max) { (void)bytes_max; }

int godwit_confine(void) { return 0; }

#endif
