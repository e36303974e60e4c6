//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "CWorker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double godwit_worker_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// MARK: Starting and ending

/// Creates a pair of sockets that are closed in started programs.
static int make_sockets(int ends[2]) {
#if defined(__linux__)
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
#else
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return errno;
    int yes = 1;
    for (int end = 0; end < 2; end++) {
        fcntl(ends[end], F_SETFD, FD_CLOEXEC);
        setsockopt(ends[end], SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
    }
    return 0;
#endif
}

int godwit_worker_start(char *const *arguments, char *const *environment, pid_t *process, int *file) {
    int ends[2];
    int error = make_sockets(ends);
    if (error != 0) return error;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
#if defined(__GLIBC__)
    // Here and not in the new process: threads of its runtime may have open files there.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // A separate process group, so that Ctrl-C on a terminal reaches only the server, and no blocked signals.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    error = posix_spawn(process, arguments[0], &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return error;
    }
    *file = ends[0];
    return 0;
}

int godwit_worker_end(pid_t process, int file) {
    close(file);
    kill(process, SIGKILL);
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// MARK: Communication

/// Waits until a socket can be read or written.
static bool ready(int file, short events, double deadline) {
    while (1) {
        double left = deadline - godwit_worker_now();
        if (left <= 0) return false;
        struct pollfd entry = {.fd = file, .events = events};
        int milliseconds = left > 60 ? 60000 : (int)(left * 1000) + 1;
        if (poll(&entry, 1, milliseconds) > 0) return true;
    }
}

enum godwit_worker_result godwit_worker_read(int file, void *bytes, size_t count, double deadline) {
    char *place = bytes;
    while (count > 0) {
        if (!ready(file, POLLIN, deadline)) return GODWIT_WORKER_EXPIRED;
        ssize_t got = read(file, place, count);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return GODWIT_WORKER_CLOSED;
        if (got < 0) continue;
        place += got;
        count -= (size_t)got;
    }
    return GODWIT_WORKER_DONE;
}

#if !defined(MSG_NOSIGNAL)
#define MSG_NOSIGNAL 0
#endif

enum godwit_worker_result godwit_worker_write(int file, const void *bytes, size_t count, double deadline) {
    const char *place = bytes;
    while (count > 0) {
        if (!ready(file, POLLOUT, deadline)) return GODWIT_WORKER_EXPIRED;
        ssize_t sent = send(file, place, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN) return GODWIT_WORKER_CLOSED;
        if (sent < 0) continue;
        place += sent;
        count -= (size_t)sent;
    }
    return GODWIT_WORKER_DONE;
}
