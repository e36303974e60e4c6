//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CGEOS_H
#define GODWIT_CGEOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// GEOS as Godwit uses it: shapes go in and come out as well-known binary. The library is loaded when it is first asked for,
// so that a process that relates no shapes neither starts slower nor grows by it. Each thread has a context of its own, which
// goes with it; a shape may be used by one thread at a time, whichever it is.

/// Loads GEOS.
///
/// @return NULL, or why it cannot be had; the text belongs to this library.
const char *godwit_geos_load(void);

/// What went wrong in the thread's last call that failed; it stands until the next one.
const char *godwit_geos_error(void);

/// Whether the thread's last call was ended at its time limit.
bool godwit_geos_expired(void);

/// Ends whatever the thread runs in GEOS longer than so many seconds of processor time from now.
void godwit_geos_set_time_limit(double seconds);

/// Ends the limit itself; `godwit_geos_expired` goes on saying what it did.
void godwit_geos_end_time_limit(void);

typedef struct godwit_geos_shape godwit_geos_shape;

/// Reads a shape in two dimensions; NULL when it cannot be.
godwit_geos_shape *godwit_geos_read(const uint8_t *bytes, size_t count);

/// Writes a shape in two dimensions, little endian, into memory made by `malloc`; NULL when it cannot be.
uint8_t *godwit_geos_write(const godwit_geos_shape *shape, size_t *count);

void godwit_geos_free(godwit_geos_shape *shape);

/// The greatest dimension of what is in a shape: 0 to 2; -1 of nothing.
int godwit_geos_dimension(const godwit_geos_shape *shape);

/// Whether a shape is valid: 1 or 0; -1 when that cannot be told. If not, says why in a text made by `malloc`.
int godwit_geos_is_valid(const godwit_geos_shape *shape, char **reason);

/// What makes a shape of others; NULL when it cannot be.
godwit_geos_shape *godwit_geos_make_valid(const godwit_geos_shape *shape);
godwit_geos_shape *godwit_geos_intersection(const godwit_geos_shape *first, const godwit_geos_shape *second);
godwit_geos_shape *godwit_geos_difference(const godwit_geos_shape *first, const godwit_geos_shape *second);
godwit_geos_shape *godwit_geos_union(const godwit_geos_shape *shape);
godwit_geos_shape *godwit_geos_boundary(const godwit_geos_shape *shape);

/// The centroid of a shape.
///
/// @return Whether it has one.
bool godwit_geos_centroid(const godwit_geos_shape *shape, double *x, double *y);

/// Writes the nine letters of the intersection matrix.
///
/// @return Whether it could be.
bool godwit_geos_relate(const godwit_geos_shape *first, const godwit_geos_shape *second, char matrix[9]);

/// The relations, always read "the prepared shape … the other".
enum godwit_geos_relation {
    godwit_geos_contains,
    godwit_geos_contains_properly,
    godwit_geos_covered_by,
    godwit_geos_covers,
    godwit_geos_crosses,
    godwit_geos_disjoint,
    godwit_geos_intersects,
    godwit_geos_overlaps,
    godwit_geos_touches,
    godwit_geos_within,
};

/// A shape with an index of its own for many relations.
typedef struct godwit_geos_prepared godwit_geos_prepared;

/// Prepares a shape, which must live longer; NULL when it cannot be.
godwit_geos_prepared *godwit_geos_prepare(const godwit_geos_shape *shape);

void godwit_geos_prepared_free(godwit_geos_prepared *prepared);

/// Whether a relation holds: 1 or 0; -1 when that cannot be told.
int godwit_geos_holds(const godwit_geos_prepared *prepared, int relation, const godwit_geos_shape *shape);

#endif
