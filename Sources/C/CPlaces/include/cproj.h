//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CPROJ_H
#define GODWIT_CPROJ_H

#include <stdbool.h>
#include <stddef.h>

// PROJ as Godwit uses it: transformations between coordinate systems. The library depends on
// some forty others. It is loaded when it is first needed, so that a process without it neither starts more slowly nor
// needs more memory.

/// Loads PROJ.
///
/// @return NULL, or the reason why it cannot be loaded; the text belongs to this library.
const char *godwit_proj_load(void);

/// A transformation from one coordinate system to another. One thread at a time may use it.
typedef struct godwit_proj_transformation godwit_proj_transformation;

/// Creates a transformation between systems such as "EPSG:4326", always with east before north; NULL if a system is
/// unknown or there is no transformation between them.
godwit_proj_transformation *godwit_proj_transformation_create(const char *from, const char *to);

void godwit_proj_transformation_free(godwit_proj_transformation *transformation);

/// Transforms points in place: coordinates are `stride` doubles apart, east before north. A point that cannot be
/// transformed becomes infinite.
void godwit_proj_transform(godwit_proj_transformation *transformation, double *coordinates, size_t stride, size_t count);

#endif
