//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CGEOS_LIBRARY_H
#define GODWIT_CGEOS_LIBRARY_H

#include <stddef.h>

// The functions of GEOS's reentrant C interface that Godwit uses, called through a table. The types are opaque pointers
// in the library's own header too; the table's members have the library's names without their prefix.

typedef struct GEOSContextHandle_HS *GEOSContextHandle_t;
typedef struct GEOSGeom_t GEOSGeometry;
typedef struct GEOSPrepGeom_t GEOSPreparedGeometry;
typedef struct GEOSWKBReader_t GEOSWKBReader;
typedef struct GEOSWKBWriter_t GEOSWKBWriter;
typedef struct GEOSMakeValidParams_t GEOSMakeValidParams;
typedef void (*GEOSMessageHandler_r)(const char *, void *);
typedef void GEOSInterruptCallback(void);
typedef char (*godwit_geos_predicate)(GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *);

#define GODWIT_GEOS_FUNCTIONS(F)                                                                                      \
    F(GEOSContextHandle_t, _init_r, (void))                                                                           \
    F(void, _finish_r, (GEOSContextHandle_t))                                                                         \
    F(GEOSMessageHandler_r, Context_setErrorMessageHandler_r, (GEOSContextHandle_t, GEOSMessageHandler_r, void *))    \
    F(GEOSInterruptCallback *, _interruptRegisterCallback, (GEOSInterruptCallback *))                                 \
    F(void, _interruptRequest, (void))                                                                                \
    F(void, _interruptCancel, (void))                                                                                 \
    F(void, Free_r, (GEOSContextHandle_t, void *))                                                                    \
    F(GEOSWKBReader *, WKBReader_create_r, (GEOSContextHandle_t))                                                     \
    F(void, WKBReader_destroy_r, (GEOSContextHandle_t, GEOSWKBReader *))                                              \
    F(GEOSGeometry *, WKBReader_read_r, (GEOSContextHandle_t, GEOSWKBReader *, const unsigned char *, size_t))        \
    F(GEOSWKBWriter *, WKBWriter_create_r, (GEOSContextHandle_t))                                                     \
    F(void, WKBWriter_destroy_r, (GEOSContextHandle_t, GEOSWKBWriter *))                                              \
    F(void, WKBWriter_setOutputDimension_r, (GEOSContextHandle_t, GEOSWKBWriter *, int))                              \
    F(void, WKBWriter_setByteOrder_r, (GEOSContextHandle_t, GEOSWKBWriter *, int))                                    \
    F(unsigned char *, WKBWriter_write_r, (GEOSContextHandle_t, GEOSWKBWriter *, const GEOSGeometry *, size_t *))     \
    F(void, Geom_destroy_r, (GEOSContextHandle_t, GEOSGeometry *))                                                    \
    F(int, Geom_getDimensions_r, (GEOSContextHandle_t, const GEOSGeometry *))                                         \
    F(char, isEmpty_r, (GEOSContextHandle_t, const GEOSGeometry *))                                                   \
    F(char, isValid_r, (GEOSContextHandle_t, const GEOSGeometry *))                                                   \
    F(char *, isValidReason_r, (GEOSContextHandle_t, const GEOSGeometry *))                                           \
    F(GEOSMakeValidParams *, MakeValidParams_create_r, (GEOSContextHandle_t))                                         \
    F(void, MakeValidParams_destroy_r, (GEOSContextHandle_t, GEOSMakeValidParams *))                                  \
    F(int, MakeValidParams_setMethod_r, (GEOSContextHandle_t, GEOSMakeValidParams *, int))                            \
    F(int, MakeValidParams_setKeepCollapsed_r, (GEOSContextHandle_t, GEOSMakeValidParams *, int))                     \
    F(GEOSGeometry *, MakeValidWithParams_r, (GEOSContextHandle_t, const GEOSGeometry *, const GEOSMakeValidParams *)) \
    F(GEOSGeometry *, Intersection_r, (GEOSContextHandle_t, const GEOSGeometry *, const GEOSGeometry *))              \
    F(GEOSGeometry *, Difference_r, (GEOSContextHandle_t, const GEOSGeometry *, const GEOSGeometry *))                \
    F(GEOSGeometry *, UnaryUnion_r, (GEOSContextHandle_t, const GEOSGeometry *))                                      \
    F(GEOSGeometry *, Boundary_r, (GEOSContextHandle_t, const GEOSGeometry *))                                        \
    F(GEOSGeometry *, GetCentroid_r, (GEOSContextHandle_t, const GEOSGeometry *))                                      \
    F(int, GeomGetX_r, (GEOSContextHandle_t, const GEOSGeometry *, double *))                                         \
    F(int, GeomGetY_r, (GEOSContextHandle_t, const GEOSGeometry *, double *))                                         \
    F(char *, Relate_r, (GEOSContextHandle_t, const GEOSGeometry *, const GEOSGeometry *))                            \
    F(const GEOSPreparedGeometry *, Prepare_r, (GEOSContextHandle_t, const GEOSGeometry *))                           \
    F(void, PreparedGeom_destroy_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *))                              \
    F(char, PreparedContains_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *))            \
    F(char, PreparedContainsProperly_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *))    \
    F(char, PreparedCoveredBy_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *))           \
    F(char, PreparedCovers_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *))              \
    F(char, PreparedCrosses_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *))             \
    F(char, PreparedDisjoint_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *))            \
    F(char, PreparedIntersects_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *))          \
    F(char, PreparedOverlaps_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *))            \
    F(char, PreparedTouches_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *))             \
    F(char, PreparedWithin_r, (GEOSContextHandle_t, const GEOSPreparedGeometry *, const GEOSGeometry *))

struct godwit_geos_library {
#define F(result, name, parameters) result(*name) parameters;
    GODWIT_GEOS_FUNCTIONS(F)
#undef F
};

/// Filled by `godwit_geos_load`.
extern struct godwit_geos_library geos;

/// Called by GEOS during long work: interrupts it when the thread's time limit has passed.
void godwit_geos_check_deadline(void);

#endif
