//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef EXAMPLE_FILES_H
#define EXAMPLE_FILES_H

#include <stddef.h>

/// The bytes of a file that is embedded when the programs are built. They are valid while the program runs.
///
/// @param name `APPLICATION/FOLDER/FILE` for a file of an application, `kit/FILE` for one that applications share.
/// @return NULL for an unknown name.
const unsigned char *example_file(const char *name, size_t *size);

#endif
