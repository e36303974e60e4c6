//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef FAULTDISK_H
#define FAULTDISK_H

#include <stdint.h>

/// A disk that fails when it is told to.
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

/// What a disk has done.
typedef struct {
    int64_t reads, writes, flushes, bytes_written;
} faultdisk_counts;

/// Registers a disk with SQLite under a name; NULL when there is no memory.
faultdisk *faultdisk_make(const char *name);

/// Removes a disk. No file of it may be open.
void faultdisk_free(faultdisk *disk);

/// Limits what all files of the disk take together, in bytes; negative for no limit.
void faultdisk_set_capacity(faultdisk *disk, int64_t bytes);

/// Makes an operation fail, after some that succeed, so many times.
void faultdisk_fail(faultdisk *disk, enum faultdisk_operation operation, int64_t skipped, int64_t times);

/// Fails everything from now on, and leaves of each write since its file's last flush all, nothing or a part.
void faultdisk_cut_power(faultdisk *disk, uint64_t seed);

/// Lets operations through again.
void faultdisk_restore_power(faultdisk *disk);

/// What the disk has done so far.
faultdisk_counts faultdisk_count(faultdisk *disk);

#endif
