//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "confinement.h"

#if defined(__linux__)

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// A list of allowed calls, so that new calls of later kernels are refused. It contains the calls that JavaScriptCore,
// the C library and Swift's runtime were observed to make (strace), and those for cases that were not observed: memory,
// threads, time, waiting, and open files. None of them takes a path or an address. The arguments of calls that can do
// more are checked. A refused call fails with EPERM, as without permission; clone3, whose arguments a filter cannot
// read, fails with ENOSYS, so that the C library uses clone.

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#if !defined(NATIVE)

int godwit_limit_calls(void) { return ENOSYS; }

#else

/// Calls that are allowed with any arguments.
static const unsigned allowed[] = {
    // Open files.
    SYS_close, SYS_epoll_ctl, SYS_epoll_create1, SYS_epoll_pwait, SYS_eventfd2, SYS_fstat, SYS_lseek, SYS_ppoll,
    SYS_pread64, SYS_read, SYS_recvfrom, SYS_timerfd_create, SYS_timerfd_settime, SYS_write, SYS_writev,
    // Memory.
    SYS_brk, SYS_madvise, SYS_membarrier, SYS_mmap, SYS_mprotect, SYS_mremap, SYS_munmap,
    // Threads.
    SYS_exit, SYS_exit_group, SYS_futex, SYS_getcpu, SYS_getpid, SYS_getppid, SYS_gettid, SYS_restart_syscall, SYS_rseq,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_rt_sigtimedwait,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_sched_getaffinity, SYS_sched_getparam,
    SYS_sched_getscheduler, SYS_sched_yield, SYS_set_robust_list, SYS_sigaltstack,
    // Time and properties of the system.
    SYS_clock_getres, SYS_clock_gettime, SYS_clock_nanosleep, SYS_getrandom, SYS_getrusage, SYS_gettimeofday,
    SYS_nanosleep, SYS_sysinfo, SYS_times, SYS_uname,
#if defined(__x86_64__)
    SYS_epoll_wait, SYS_poll, SYS_time,
#endif
};

#define ALLOWED_COUNT (sizeof allowed / sizeof *allowed)

/// The maximum number of instructions in the rest of the filter.
#define OTHERS_MAX 96

/// The required and forbidden flags of `clone`: it may create threads of this process, and no namespaces.
#define CLONE_LOOKED_AT \
    (CLONE_THREAD | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
     CLONE_NEWNET)

#if !defined(PR_SET_VMA)
#define PR_SET_VMA 0x53564d41
#endif

struct program {
    struct sock_filter code[2 * ALLOWED_COUNT + OTHERS_MAX];
    unsigned short length;
};

static void add(struct program *program, struct sock_filter instruction) {
    program->code[program->length++] = instruction;
}

static void give(struct program *program, unsigned result) {
    add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result));
}

static void load(struct program *program, size_t offset) {
    add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

/// Skips `count` instructions unless the loaded number equals a value.
static void unless_equal_skip(struct program *program, unsigned value, unsigned char count) {
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
}

static void refuse(struct program *program) { give(program, SECCOMP_RET_ERRNO | EPERM); }

/// A condition on an argument of a call.
struct condition {
    unsigned argument;
    /// The bits that are compared; all by default.
    unsigned mask;
    unsigned value;
};

/// Allows a call whose arguments meet all conditions, and refuses it otherwise. The call's number must be loaded at the
/// start, and for any other call it is still loaded at the end.
static void
allow_if(struct program *program, unsigned number, const struct condition *conditions, unsigned count) {
    unsigned short start = program->length;
    unless_equal_skip(program, number, 0);
    for (unsigned place = 0; place < count; place++) {
        size_t low = offsetof(struct seccomp_data, args) + 8 * conditions[place].argument;
        load(program, low);
        if (conditions[place].mask != 0) {
            add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, conditions[place].mask));
        }
        add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, conditions[place].value, 1, 0));
        refuse(program);
        // The upper half is the sign of a number or the rest of an address: it is zero in all allowed arguments.
        load(program, low + 4);
        add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
        refuse(program);
    }
    give(program, SECCOMP_RET_ALLOW);
    program->code[start].jf = (unsigned char)(program->length - start - 1);
}

#define ALLOW_IF(program, name, ...) \
    allow_if(program, SYS_##name, (struct condition[]){__VA_ARGS__}, \
             sizeof((struct condition[]){__VA_ARGS__}) / sizeof(struct condition))

/// Allows a call whose first argument is one of several values, and refuses it otherwise.
static void allow_values(struct program *program, unsigned number, const unsigned *values, unsigned char count) {
    unless_equal_skip(program, number, (unsigned char)(2 * count + 2));
    load(program, offsetof(struct seccomp_data, args));
    for (unsigned char place = 0; place < count; place++) {
        unless_equal_skip(program, values[place], 1);
        give(program, SECCOMP_RET_ALLOW);
    }
    refuse(program);
}

static void write_program(struct program *program) {
    load(program, offsetof(struct seccomp_data, arch));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0));
    give(program, SECCOMP_RET_KILL_PROCESS);
    load(program, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
    // Calls of the x32 interface have other numbers.
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    give(program, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t place = 0; place < ALLOWED_COUNT; place++) {
        unless_equal_skip(program, allowed[place], 1);
        give(program, SECCOMP_RET_ALLOW);
    }
    unless_equal_skip(program, SYS_clone3, 1);
    give(program, SECCOMP_RET_ERRNO | ENOSYS);
    ALLOW_IF(program, clone, {0, CLONE_LOOKED_AT, CLONE_THREAD});
    // A signal to a thread of this process: JavaScriptCore stops its threads by one to collect garbage.
    ALLOW_IF(program, tgkill, {0, 0, (unsigned)getpid()});
    // To the peer of a socket, without an address.
    ALLOW_IF(program, sendto, {4, 0, 0});
    // The process may read its own limits and set the priority of its own threads.
    ALLOW_IF(program, prlimit64, {0, 0, 0}, {2, 0, 0});
    ALLOW_IF(program, setpriority, {0, 0, PRIO_PROCESS}, {1, 0, 0});
    static const unsigned controls[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA};
    allow_values(program, SYS_prctl, controls, sizeof controls / sizeof *controls);
    refuse(program);
}

int godwit_limit_calls(void) {
    struct program program = {.length = 0};
    write_program(&program);
    struct sock_fprog filter = {.len = program.length, .filter = program.code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    long status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    return status == 0 ? 0 : status > 0 ? EBUSY : errno;
}

#endif

#endif
