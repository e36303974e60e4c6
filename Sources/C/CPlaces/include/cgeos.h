//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CGEOS_H
#define GODWIT_CGEOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// GEOS as Godwit uses it: shapes are passed as well-known binary. The library is loaded when it is first needed, so
// that a process without geospatial queries neither starts more slowly nor needs more memory. Each thread has a
// separate context, which is freed with the thread. A shape may be used by any thread, but by one at a time.

/// Loads GEOS.
///
/// @return NULL, or the reason why it cannot be loaded; the text belongs to this library.
const char *godwit_geos_load(void);

/// The error of the thread's last failed call; it is valid until the next failure.
const char *godwit_geos_error(void);

/// Whether the thread's last call ended at its time limit.
bool godwit_geos_expired(void);

/// Limits all later calls of the thread to a total of `seconds` of processor time from now.
void godwit_geos_set_time_limit(double seconds);

/// Removes the time limit; `godwit_geos_expired` keeps its value.
void godwit_geos_end_time_limit(void);

typedef struct godwit_geos_shape godwit_geos_shape;

/// Reads a shape in two dimensions; NULL if it fails.
godwit_geos_shape *godwit_geos_read(const uint8_t *bytes, size_t count);

/// Writes a shape in two dimensions, little endian, into memory allocated by `malloc`; NULL if it fails.
uint8_t *godwit_geos_write(const godwit_geos_shape *shape, size_t *count);

void godwit_geos_free(godwit_geos_shape *shape);

/// The greatest dimension of a shape's parts: 0 to 2; -1 for an empty shape.
int godwit_geos_dimension(const godwit_geos_shape *shape);

/// Whether a shape is valid: 1 or 0; -1 after an error. For an invalid shape `reason` is a text allocated by `malloc`.
int godwit_geos_is_valid(const godwit_geos_shape *shape, char **reason);

/// Functions that create a shape from others; NULL if they fail.
godwit_geos_shape *godwit_geos_make_valid(const godwit_geos_shape *shape);
godwit_geos_shape *godwit_geos_intersection(const godwit_geos_shape *first, const godwit_geos_shape *second);
godwit_geos_shape *godwit_geos_difference(const godwit_geos_shape *first, const godwit_geos_shape *second);
godwit_geos_shape *godwit_geos_union(const godwit_geos_shape *shape);
godwit_geos_shape *godwit_geos_boundary(const godwit_geos_shape *shape);

/// The centroid of a shape.
///
/// @return Whether it has a centroid.
bool godwit_geos_centroid(const godwit_geos_shape *shape, double *x, double *y);

/// Writes the nine letters of the intersection matrix.
///
/// @return Whether it succeeded.
bool godwit_geos_relate(const godwit_geos_shape *first, const godwit_geos_shape *second, char matrix[9]);

/// The relations, always in the order "the prepared shape … the other".
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

/// A shape with a separate index for many relations.
typedef struct godwit_geos_prepared godwit_geos_prepared;

/// Prepares a shape, which must outlive the prepared one; NULL if it fails.
godwit_geos_prepared *godwit_geos_prepare(const godwit_geos_shape *shape);

void godwit_geos_prepared_free(godwit_geos_prepared *prepared);

/// Whether a relation holds: 1 or 0; -1 after an error.
int godwit_geos_holds(const godwit_geos_prepared *prepared, int relation, const godwit_geos_shape *shape);

#endif
