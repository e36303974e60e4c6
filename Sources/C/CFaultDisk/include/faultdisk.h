//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef FAULTDISK_H
#define FAULTDISK_H

#include <stdint.h>

/// A disk that fails on demand.
typedef struct faultdisk faultdisk;

/// Kinds of operations that can be made to fail.
enum faultdisk_operation {
    FAULTDISK_READ,
    FAULTDISK_WRITE,
    FAULTDISK_FLUSH,
    FAULTDISK_TRUNCATE,
    FAULTDISK_DELETE,
    FAULTDISK_OPEN,
    FAULTDISK_OPERATIONS
};

/// Counters of a disk's operations.
typedef struct {
    int64_t reads, writes, flushes, bytes_written;
} faultdisk_counts;

/// Registers a disk with SQLite under a name; NULL if there is no memory.
faultdisk *faultdisk_make(const char *name);

/// Removes a disk. None of its files may be open.
void faultdisk_free(faultdisk *disk);

/// Limits the total size of all files of the disk, in bytes; negative for no limit.
void faultdisk_set_capacity(faultdisk *disk, int64_t bytes);

/// Makes an operation fail `times` times, after `skipped` calls that succeed.
void faultdisk_fail(faultdisk *disk, enum faultdisk_operation operation, int64_t skipped, int64_t times);

/// Makes all operations fail from now on, and keeps all, nothing or a part of each write since its file's last flush.
void faultdisk_cut_power(faultdisk *disk, uint64_t seed);

/// Makes operations succeed again.
void faultdisk_restore_power(faultdisk *disk);

/// The counters of the disk so far.
faultdisk_counts faultdisk_count(faultdisk *disk);

#endif
