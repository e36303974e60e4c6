//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "CWorker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// MARK: Files

void godwit_close_inherited_files(void) { syscall(SYS_close_range, 3, ~0U, 0); }

// MARK: Memory

static struct {
    long pages_max;
    int statm;
    pid_t parent;
} watch;

/// How often memory is looked at. What is asked for at the speed of memory comes to some 20 MB in that time.
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

// MARK: Calls of the system

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#if defined(NATIVE)

#define REFUSE(name) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
    // Calls of the x32 interface have other numbers.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    REFUSE(open),
    REFUSE(creat),
    REFUSE(fork),
    REFUSE(vfork),
    REFUSE(unlink),
    REFUSE(rename),
    REFUSE(mkdir),
    REFUSE(link),
    REFUSE(symlink),
    REFUSE(chmod),
    REFUSE(chown),
#endif
    REFUSE(openat),
    REFUSE(openat2),
    REFUSE(open_by_handle_at),
    REFUSE(unlinkat),
    REFUSE(renameat2),
    REFUSE(mkdirat),
    REFUSE(linkat),
    REFUSE(symlinkat),
    REFUSE(fchmodat),
    REFUSE(fchownat),
    REFUSE(mount),
    REFUSE(chroot),
    REFUSE(socket),
    REFUSE(socketpair),
    REFUSE(connect),
    REFUSE(bind),
    REFUSE(listen),
    REFUSE(accept4),
    REFUSE(sendmsg),
    REFUSE(execve),
    REFUSE(execveat),
    REFUSE(ptrace),
    REFUSE(process_vm_readv),
    REFUSE(process_vm_writev),
    REFUSE(pidfd_open),
    REFUSE(kill),
    REFUSE(io_uring_setup),
    REFUSE(bpf),
    REFUSE(perf_event_open),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static int refuse_calls(void) {
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    long status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return status == 0 ? 0 : status > 0 ? EBUSY : errno;
}

#else

static int refuse_calls(void) { return 0; }

#endif

int godwit_confine(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    return refuse_calls();
}

#else

void godwit_close_inherited_files(void) {
    for (int file = 3; file < 1024; file++) close(file);
}

void godwit_watch_memory(size_t bytes_max) { (void)bytes_max; }

int godwit_confine(void) { return 0; }

#endif
