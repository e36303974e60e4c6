//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE  // clock_gettime, strdup

#include "cgeos.h"
#include "geos_library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { errorLengthMax = 256, littleEndian = 1, structureMethod = 1 };

/// The state of a thread for its calls.
struct thread {
    GEOSContextHandle_t context;
    GEOSWKBReader *reader;
    GEOSWKBWriter *writer;
};

static _Thread_local struct thread *own;
static _Thread_local char error[errorLengthMax];
static _Thread_local bool expired;
/// Seconds of the monotonic clock; 0 for no limit.
static _Thread_local double deadline;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// MARK: Threads

static void end_thread(void *value) {
    struct thread *thread = value;
    geos.WKBReader_destroy_r(thread->context, thread->reader);
    geos.WKBWriter_destroy_r(thread->context, thread->writer);
    geos._finish_r(thread->context);
    free(thread);
}

static void make_key(void) { pthread_key_create(&key, end_thread); }

static void keep_error(const char *message, void *info) {
    (void)info;
    strncpy(error, message, errorLengthMax - 1);
}

static struct thread *thread(void) {
    if (own != NULL) return own;
    pthread_once(&once, make_key);
    own = malloc(sizeof *own);
    own->context = geos._init_r();
    geos.Context_setErrorMessageHandler_r(own->context, keep_error, NULL);
    own->reader = geos.WKBReader_create_r(own->context);
    own->writer = geos.WKBWriter_create_r(own->context);
    geos.WKBWriter_setOutputDimension_r(own->context, own->writer, 2);
    geos.WKBWriter_setByteOrder_r(own->context, own->writer, littleEndian);
    pthread_setspecific(key, own);
    return own;
}

static GEOSContextHandle_t context(void) { return thread()->context; }

const char *godwit_geos_error(void) { return error; }

// MARK: Time

/// The processor time of the thread: so shapes have the same costs on a busy machine.
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void godwit_geos_set_time_limit(double seconds) {
    deadline = now() + seconds;
    expired = false;
}

void godwit_geos_end_time_limit(void) { deadline = 0; }

bool godwit_geos_expired(void) { return expired; }

void godwit_geos_check_deadline(void) {
    if (deadline == 0 || now() < deadline) return;
    expired = true;
    geos._interruptRequest();
}

/// Whether a call was ended by the interrupt of another thread: GEOS has one flag for all threads, and the first thread
/// that reads the flag clears it. Such a call is repeated; the other thread sets the flag again too.
static bool was_disturbed(void) { return !expired && strstr(error, "Interrupted") != NULL; }

#define UNDISTURBED(failed, call)           \
    do {                                    \
        error[0] = 0;                       \
        call;                               \
    } while ((failed) && was_disturbed())

// MARK: Shapes

static GEOSGeometry *in(const godwit_geos_shape *shape) { return (GEOSGeometry *)shape; }
static godwit_geos_shape *out(GEOSGeometry *shape) { return (godwit_geos_shape *)shape; }

godwit_geos_shape *godwit_geos_read(const uint8_t *bytes, size_t count) {
    return out(geos.WKBReader_read_r(context(), thread()->reader, bytes, count));
}

uint8_t *godwit_geos_write(const godwit_geos_shape *shape, size_t *count) {
    unsigned char *bytes = geos.WKBWriter_write_r(context(), thread()->writer, in(shape), count);
    if (bytes == NULL) return NULL;
    uint8_t *copy = malloc(*count);
    if (copy != NULL) memcpy(copy, bytes, *count);
    geos.Free_r(context(), bytes);
    return copy;
}

void godwit_geos_free(godwit_geos_shape *shape) { geos.Geom_destroy_r(context(), in(shape)); }

int godwit_geos_dimension(const godwit_geos_shape *shape) {
    if (geos.isEmpty_r(context(), in(shape)) != 0) return -1;
    return geos.Geom_getDimensions_r(context(), in(shape));
}

int godwit_geos_is_valid(const godwit_geos_shape *shape, char **reason) {
    char answer;
    UNDISTURBED(answer == 2, answer = geos.isValid_r(context(), in(shape)));
    *reason = NULL;
    if (answer != 0) return answer == 1 ? 1 : -1;
    char *text;
    UNDISTURBED(text == NULL, text = geos.isValidReason_r(context(), in(shape)));
    if (text == NULL) return -1;
    *reason = strdup(text);
    geos.Free_r(context(), text);
    return 0;
}

godwit_geos_shape *godwit_geos_make_valid(const godwit_geos_shape *shape) {
    GEOSMakeValidParams *parameters = geos.MakeValidParams_create_r(context());
    geos.MakeValidParams_setMethod_r(context(), parameters, structureMethod);
    geos.MakeValidParams_setKeepCollapsed_r(context(), parameters, 0);
    GEOSGeometry *made;
    UNDISTURBED(made == NULL, made = geos.MakeValidWithParams_r(context(), in(shape), parameters));
    geos.MakeValidParams_destroy_r(context(), parameters);
    return out(made);
}

godwit_geos_shape *godwit_geos_intersection(const godwit_geos_shape *first, const godwit_geos_shape *second) {
    GEOSGeometry *made;
    UNDISTURBED(made == NULL, made = geos.Intersection_r(context(), in(first), in(second)));
    return out(made);
}

godwit_geos_shape *godwit_geos_difference(const godwit_geos_shape *first, const godwit_geos_shape *second) {
    GEOSGeometry *made;
    UNDISTURBED(made == NULL, made = geos.Difference_r(context(), in(first), in(second)));
    return out(made);
}

godwit_geos_shape *godwit_geos_union(const godwit_geos_shape *shape) {
    GEOSGeometry *made;
    UNDISTURBED(made == NULL, made = geos.UnaryUnion_r(context(), in(shape)));
    return out(made);
}

godwit_geos_shape *godwit_geos_boundary(const godwit_geos_shape *shape) {
    GEOSGeometry *made;
    UNDISTURBED(made == NULL, made = geos.Boundary_r(context(), in(shape)));
    return out(made);
}

bool godwit_geos_centroid(const godwit_geos_shape *shape, double *x, double *y) {
    GEOSGeometry *point;
    UNDISTURBED(point == NULL, point = geos.GetCentroid_r(context(), in(shape)));
    if (point == NULL) return false;
    bool found = geos.GeomGetX_r(context(), point, x) == 1 && geos.GeomGetY_r(context(), point, y) == 1;
    geos.Geom_destroy_r(context(), point);
    return found;
}

// MARK: Relations

bool godwit_geos_relate(const godwit_geos_shape *first, const godwit_geos_shape *second, char matrix[9]) {
    char *text;
    UNDISTURBED(text == NULL, text = geos.Relate_r(context(), in(first), in(second)));
    if (text == NULL) return false;
    memcpy(matrix, text, 9);
    geos.Free_r(context(), text);
    return true;
}

godwit_geos_prepared *godwit_geos_prepare(const godwit_geos_shape *shape) {
    return (godwit_geos_prepared *)geos.Prepare_r(context(), in(shape));
}

void godwit_geos_prepared_free(godwit_geos_prepared *prepared) {
    geos.PreparedGeom_destroy_r(context(), (const GEOSPreparedGeometry *)prepared);
}

int godwit_geos_holds(const godwit_geos_prepared *prepared, int relation, const godwit_geos_shape *shape) {
    const godwit_geos_predicate predicates[] = {
        [godwit_geos_contains] = geos.PreparedContains_r,
        [godwit_geos_contains_properly] = geos.PreparedContainsProperly_r,
        [godwit_geos_covered_by] = geos.PreparedCoveredBy_r,
        [godwit_geos_covers] = geos.PreparedCovers_r,
        [godwit_geos_crosses] = geos.PreparedCrosses_r,
        [godwit_geos_disjoint] = geos.PreparedDisjoint_r,
        [godwit_geos_intersects] = geos.PreparedIntersects_r,
        [godwit_geos_overlaps] = geos.PreparedOverlaps_r,
        [godwit_geos_touches] = geos.PreparedTouches_r,
        [godwit_geos_within] = geos.PreparedWithin_r,
    };
    char answer;
    UNDISTURBED(answer == 2,
                answer = predicates[relation](context(), (const GEOSPreparedGeometry *)prepared, in(shape)));
    return answer == 2 ? -1 : answer;
}
