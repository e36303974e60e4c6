//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A plugin for QEMU's user mode that adds up the instructions of all threads in a file of eight bytes, which other
// programs read while the program runs. `instructions.py` compiles and uses it. See QEMU's documentation, "QEMU TCG
// Plugins".

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct qemu_plugin_tb;
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*call)(uint64_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(
    struct qemu_plugin_tb *block, void (*call)(unsigned, void *), int flags, void *argument);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t *count;

static void executed(unsigned processor, void *instructions) {
    __atomic_fetch_add(count, (uintptr_t)instructions, __ATOMIC_RELAXED);
}

static void translated(uint64_t id, struct qemu_plugin_tb *block) {
    qemu_plugin_register_vcpu_tb_exec_cb(block, executed, 0, (void *)qemu_plugin_tb_n_insns(block));
}

__attribute__((visibility("default"))) int qemu_plugin_install(
    uint64_t id, const void *information, int argumentCount, char **arguments) {
    if (argumentCount != 1 || strncmp(arguments[0], "count=", 6) != 0) return 1;
    int file = open(arguments[0] + 6, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *count) != 0) return 1;
    count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (count == MAP_FAILED) return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
