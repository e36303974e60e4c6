//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// An interface of SQLite to the disk ("VFS") that passes all calls to the system's and fails on demand.
//
// After a loss of power, a real disk has any part of the writes since the last flush: all, some, in any order, half of
// a page. So each write records the bytes that it replaced until its file is flushed. When the power is cut, the
// recorded writes are undone back to the last flushed state, and then each is written again, or not, or in part
// (complete sectors of 512 bytes), as a seed decides. A deletion counts as durable at once. The memory for the records
// is limited only by the amount that is written between two flushes, so this disk is for tests only.
//
// The index of the write-ahead log (`-shm`) is memory that the system's interface maps. It is not durable and SQLite
// creates it again, so it is not intercepted. Only version 2 of the methods is offered: without memory-mapped pages
// every write passes through this interface.

#define _GNU_SOURCE

#include "faultdisk.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTOR_BYTES = 512 };

/// A change of a file since its last flush.
typedef struct change {
    struct change *next, *previous;
    int64_t offset;
    int64_t length;      // of a write; -1 for a truncation to `offset`
    int64_t size_before; // of the file
    int64_t old_length;  // of the bytes that were replaced or truncated
    unsigned char *bytes; // new, then old
} change;

/// A file by its path, as long as it exists.
typedef struct path {
    struct path *next;
    char *name;
    int64_t size;
    change *first, *last;
} path;

struct faultdisk {
    sqlite3_vfs vfs;
    sqlite3_vfs *system;
    char *name;
    pthread_mutex_t mutex;
    path *paths;
    int64_t capacity;
    int64_t skip[FAULTDISK_OPERATIONS], fail[FAULTDISK_OPERATIONS];
    bool is_cut;
    faultdisk_counts counts;
};

typedef struct {
    sqlite3_file base;
    faultdisk *disk;
    path *path; // NULL for a temporary file without a name
    sqlite3_file *real;
} file;

static faultdisk *disk_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

// MARK: Files and their changes

static path *find_path(faultdisk *disk, const char *name) {
    for (path *found = disk->paths; found; found = found->next)
        if (strcmp(found->name, name) == 0) return found;
    return NULL;
}

static path *add_path(faultdisk *disk, const char *name) {
    path *made = calloc(1, sizeof(path));
    if (!made) return NULL;
    made->name = strdup(name);
    made->next = disk->paths;
    disk->paths = made;
    return made;
}

static void forget_changes(path *path) {
    while (path->first) {
        change *next = path->first->next;
        free(path->first->bytes);
        free(path->first);
        path->first = next;
    }
    path->last = NULL;
}

static void remove_path(faultdisk *disk, const char *name) {
    // Files that are still open keep their entry, which then counts no bytes.
    path *found = find_path(disk, name);
    if (!found) return;
    forget_changes(found);
    found->size = 0;
}

static int64_t used_bytes(faultdisk *disk) {
    int64_t used = 0;
    for (path *path = disk->paths; path; path = path->next) used += path->size;
    return used;
}

// MARK: Failing

/// Whether an operation must fail now. The mutex is held.
static bool fails(faultdisk *disk, enum faultdisk_operation operation) {
    if (disk->is_cut) return true;
    if (disk->fail[operation] == 0) return false;
    if (disk->skip[operation] > 0) {
        disk->skip[operation]--;
        return false;
    }
    disk->fail[operation]--;
    return true;
}

static bool fails_locked(faultdisk *disk, enum faultdisk_operation operation) {
    pthread_mutex_lock(&disk->mutex);
    bool result = fails(disk, operation);
    pthread_mutex_unlock(&disk->mutex);
    return result;
}

/// Records a change until the next flush. The mutex is held.
static int remember(file *file, const void *bytes, int64_t length, int64_t offset) {
    path *path = file->path;
    int64_t end = length < 0 ? path->size : offset + length;
    int64_t old_length = (end < path->size ? end : path->size) - offset;
    if (old_length < 0) old_length = 0;
    change *made = calloc(1, sizeof(change));
    int64_t new_length = length < 0 ? 0 : length;
    if (made) made->bytes = malloc((size_t)(new_length + old_length + 1));
    if (!made || !made->bytes) {
        free(made);
        return SQLITE_NOMEM;
    }
    if (new_length) memcpy(made->bytes, bytes, (size_t)new_length);
    if (old_length) {
        int code = file->real->pMethods->xRead(file->real, made->bytes + new_length, (int)old_length, offset);
        if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) {
            free(made->bytes);
            free(made);
            return code;
        }
    }
    *made = (change){.previous = path->last, .offset = offset, .length = length, .size_before = path->size,
                     .old_length = old_length, .bytes = made->bytes};
    if (path->last) path->last->next = made;
    else path->first = made;
    path->last = made;
    return SQLITE_OK;
}

// MARK: Methods of a file

static int file_close(sqlite3_file *base) {
    file *self = (file *)base;
    int code = self->real->pMethods ? self->real->pMethods->xClose(self->real) : SQLITE_OK;
    return code;
}

static int file_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    file *self = (file *)base;
    if (fails_locked(self->disk, FAULTDISK_READ)) return SQLITE_IOERR_READ;
    pthread_mutex_lock(&self->disk->mutex);
    self->disk->counts.reads++;
    pthread_mutex_unlock(&self->disk->mutex);
    return self->real->pMethods->xRead(self->real, bytes, count, offset);
}

static int write_locked(file *self, const void *bytes, int count, sqlite3_int64 offset) {
    faultdisk *disk = self->disk;
    if (fails(disk, FAULTDISK_WRITE)) return SQLITE_IOERR_WRITE;
    int64_t growth = self->path ? offset + count - self->path->size : 0;
    if (growth > 0 && disk->capacity >= 0 && used_bytes(disk) + growth > disk->capacity) return SQLITE_FULL;
    if (self->path) {
        int code = remember(self, bytes, count, offset);
        if (code != SQLITE_OK) return code;
        if (growth > 0) self->path->size += growth;
    }
    disk->counts.writes++;
    disk->counts.bytes_written += count;
    return self->real->pMethods->xWrite(self->real, bytes, count, offset);
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    file *self = (file *)base;
    pthread_mutex_lock(&self->disk->mutex);
    int code = write_locked(self, bytes, count, offset);
    pthread_mutex_unlock(&self->disk->mutex);
    return code;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    file *self = (file *)base;
    pthread_mutex_lock(&self->disk->mutex);
    int code = fails(self->disk, FAULTDISK_TRUNCATE) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
    if (code == SQLITE_OK && self->path) {
        code = remember(self, NULL, -1, size);
        if (code == SQLITE_OK) self->path->size = size;
    }
    if (code == SQLITE_OK) code = self->real->pMethods->xTruncate(self->real, size);
    pthread_mutex_unlock(&self->disk->mutex);
    return code;
}

static int file_sync(sqlite3_file *base, int flags) {
    file *self = (file *)base;
    pthread_mutex_lock(&self->disk->mutex);
    bool is_failing = fails(self->disk, FAULTDISK_FLUSH);
    change *flushed = self->path ? self->path->last : NULL;
    if (!is_failing) self->disk->counts.flushes++;
    pthread_mutex_unlock(&self->disk->mutex);
    if (is_failing) return SQLITE_IOERR_FSYNC;
    // Not under the mutex: other threads write meanwhile.
    int code = self->real->pMethods->xSync(self->real, flags);
    if (code != SQLITE_OK || !self->path) return code;
    pthread_mutex_lock(&self->disk->mutex);
    // The power was cut during the flush: the lost bytes are decided already.
    if (self->disk->is_cut) code = SQLITE_IOERR_FSYNC;
    while (code == SQLITE_OK && flushed && self->path->first) {
        change *first = self->path->first;
        self->path->first = first->next;
        if (first->next) first->next->previous = NULL;
        else self->path->last = NULL;
        bool is_last = first == flushed;
        free(first->bytes);
        free(first);
        if (is_last) break;
    }
    pthread_mutex_unlock(&self->disk->mutex);
    return code;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    file *self = (file *)base;
    return self->real->pMethods->xFileSize(self->real, size);
}

static int file_lock(sqlite3_file *base, int level) {
    file *self = (file *)base;
    return self->real->pMethods->xLock(self->real, level);
}

static int file_unlock(sqlite3_file *base, int level) {
    file *self = (file *)base;
    return self->real->pMethods->xUnlock(self->real, level);
}

static int file_check_reserved(sqlite3_file *base, int *result) {
    file *self = (file *)base;
    return self->real->pMethods->xCheckReservedLock(self->real, result);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    file *self = (file *)base;
    return self->real->pMethods->xFileControl(self->real, operation, argument);
}

static int file_sector_size(sqlite3_file *base) { return SECTOR_BYTES; }

static int file_characteristics(sqlite3_file *base) { return 0; }

static int file_shm_map(sqlite3_file *base, int page, int size, int extends, void volatile **memory) {
    file *self = (file *)base;
    return self->real->pMethods->xShmMap(self->real, page, size, extends, memory);
}

static int file_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
    file *self = (file *)base;
    return self->real->pMethods->xShmLock(self->real, offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *base) {
    file *self = (file *)base;
    self->real->pMethods->xShmBarrier(self->real);
}

static int file_shm_unmap(sqlite3_file *base, int deletes) {
    file *self = (file *)base;
    return self->real->pMethods->xShmUnmap(self->real, deletes);
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// MARK: Methods of the disk

static int disk_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *flags_out) {
    faultdisk *disk = disk_of(vfs);
    file *self = (file *)base;
    *self = (file){.disk = disk, .real = (sqlite3_file *)(self + 1)};
    if (fails_locked(disk, FAULTDISK_OPEN)) return SQLITE_CANTOPEN;
    int code = disk->system->xOpen(disk->system, name, self->real, flags, flags_out);
    if (code != SQLITE_OK) return code;
    self->base.pMethods = &file_methods;
    if (!name) return SQLITE_OK;
    pthread_mutex_lock(&disk->mutex);
    path *known = find_path(disk, name);
    self->path = known ? known : add_path(disk, name);
    sqlite3_int64 size = 0;
    if (self->path && !self->path->first && self->real->pMethods->xFileSize(self->real, &size) == SQLITE_OK)
        self->path->size = size;
    pthread_mutex_unlock(&disk->mutex);
    return SQLITE_OK;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int flushes) {
    faultdisk *disk = disk_of(vfs);
    if (fails_locked(disk, FAULTDISK_DELETE)) return SQLITE_IOERR_DELETE;
    int code = disk->system->xDelete(disk->system, name, flushes);
    if (code == SQLITE_OK) {
        pthread_mutex_lock(&disk->mutex);
        remove_path(disk, name);
        pthread_mutex_unlock(&disk->mutex);
    }
    return code;
}

static int disk_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return disk_of(vfs)->system->xAccess(disk_of(vfs)->system, name, flags, result);
}

static int disk_full_path(sqlite3_vfs *vfs, const char *name, int count, char *result) {
    return disk_of(vfs)->system->xFullPathname(disk_of(vfs)->system, name, count, result);
}

static int disk_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return disk_of(vfs)->system->xRandomness(disk_of(vfs)->system, count, bytes);
}

static int disk_sleep(sqlite3_vfs *vfs, int microseconds) {
    return disk_of(vfs)->system->xSleep(disk_of(vfs)->system, microseconds);
}

static int disk_time(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    return disk_of(vfs)->system->xCurrentTimeInt64(disk_of(vfs)->system, time);
}

static int disk_last_error(sqlite3_vfs *vfs, int count, char *message) {
    return disk_of(vfs)->system->xGetLastError(disk_of(vfs)->system, count, message);
}

faultdisk *faultdisk_make(const char *name) {
    faultdisk *disk = calloc(1, sizeof(faultdisk));
    if (!disk) return NULL;
    disk->system = sqlite3_vfs_find(NULL);
    disk->name = strdup(name);
    disk->capacity = -1;
    pthread_mutex_init(&disk->mutex, NULL);
    disk->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(file) + disk->system->szOsFile,
        .mxPathname = disk->system->mxPathname,
        .zName = disk->name,
        .pAppData = disk,
        .xOpen = disk_open,
        .xDelete = disk_delete,
        .xAccess = disk_access,
        .xFullPathname = disk_full_path,
        .xRandomness = disk_randomness,
        .xSleep = disk_sleep,
        .xGetLastError = disk_last_error,
        .xCurrentTimeInt64 = disk_time,
    };
    sqlite3_vfs_register(&disk->vfs, 0);
    return disk;
}

void faultdisk_free(faultdisk *disk) {
    sqlite3_vfs_unregister(&disk->vfs);
    while (disk->paths) {
        path *next = disk->paths->next;
        forget_changes(disk->paths);
        free(disk->paths->name);
        free(disk->paths);
        disk->paths = next;
    }
    pthread_mutex_destroy(&disk->mutex);
    free(disk->name);
    free(disk);
}

void faultdisk_set_capacity(faultdisk *disk, int64_t bytes) {
    pthread_mutex_lock(&disk->mutex);
    disk->capacity = bytes;
    pthread_mutex_unlock(&disk->mutex);
}

void faultdisk_fail(faultdisk *disk, enum faultdisk_operation operation, int64_t skipped, int64_t times) {
    pthread_mutex_lock(&disk->mutex);
    disk->skip[operation] = skipped;
    disk->fail[operation] = times;
    pthread_mutex_unlock(&disk->mutex);
}

faultdisk_counts faultdisk_count(faultdisk *disk) {
    pthread_mutex_lock(&disk->mutex);
    faultdisk_counts counts = disk->counts;
    pthread_mutex_unlock(&disk->mutex);
    return counts;
}

// MARK: The loss of power

/// SplitMix64.
static uint64_t next_random(uint64_t *state) {
    uint64_t mixed = (*state += 0x9E3779B97F4A7C15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

static void write_all(int descriptor, const unsigned char *bytes, int64_t count, int64_t offset) {
    while (count > 0) {
        ssize_t written = pwrite(descriptor, bytes, (size_t)count, offset);
        if (written <= 0) return;
        bytes += written;
        count -= written;
        offset += written;
    }
}

/// Writes a change again, or leaves it out, or writes a part of it.
static void replay(const change *change, int descriptor, uint64_t *random) {
    uint64_t lot = next_random(random) % 10;
    if (lot < 4) return;
    if (change->length < 0) {
        if (ftruncate(descriptor, change->offset) != 0) return;
        return;
    }
    int64_t kept = change->length;
    int64_t sectors = change->length / SECTOR_BYTES;
    if (lot < 6 && sectors > 1) kept = (int64_t)(1 + next_random(random) % (uint64_t)(sectors - 1)) * SECTOR_BYTES;
    write_all(descriptor, change->bytes, kept, change->offset);
}

static void lose(path *path, uint64_t *random) {
    if (!path->first) return;
    int descriptor = open(path->name, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    for (change *change = path->last; change; change = change->previous) {
        int64_t new_length = change->length < 0 ? 0 : change->length;
        write_all(descriptor, change->bytes + new_length, change->old_length, change->offset);
        if (ftruncate(descriptor, change->size_before) != 0) break;
    }
    for (change *change = path->first; change; change = change->next) replay(change, descriptor, random);
    close(descriptor);
    forget_changes(path);
}

void faultdisk_cut_power(faultdisk *disk, uint64_t seed) {
    pthread_mutex_lock(&disk->mutex);
    disk->is_cut = true;
    for (path *path = disk->paths; path; path = path->next) lose(path, &seed);
    pthread_mutex_unlock(&disk->mutex);
}

void faultdisk_restore_power(faultdisk *disk) {
    pthread_mutex_lock(&disk->mutex);
    disk->is_cut = false;
    memset(disk->skip, 0, sizeof(disk->skip));
    memset(disk->fail, 0, sizeof(disk->fail));
    for (path *path = disk->paths; path; path = path->next) {
        forget_changes(path);
        int descriptor = open(path->name, O_RDONLY | O_CLOEXEC);
        path->size = descriptor < 0 ? 0 : lseek(descriptor, 0, SEEK_END);
        if (descriptor >= 0) close(descriptor);
    }
    pthread_mutex_unlock(&disk->mutex);
}
