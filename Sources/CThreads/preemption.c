//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "CThreads.h"

#ifdef __linux__

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// The first version of the kernel's `struct sched_attr`; see sched_setattr(2).
struct attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

// Since Linux 6.12, a thread that wakes takes the processor from one with a longer time slice. 100 ms is the longest.
static const uint64_t sliceNanoseconds = 100000000;
static const uint64_t resetOnFork = 1;

void godwit_be_preemptible(void) {
    struct attributes attributes = {.size = sizeof attributes, .flags = resetOnFork, .runtime = sliceNanoseconds};
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

#elif defined(__APPLE__)

#include <pthread.h>

void godwit_be_preemptible(void) {
    pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
}

#else

void godwit_be_preemptible(void) {}

#endif
