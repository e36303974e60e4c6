//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_ANSWER_PARAMETERS_H
#define GODWIT_ANSWER_PARAMETERS_H

#include <stddef.h>

/// Returns the learned parameters for questions about health, a JSON object, and writes its size.
const unsigned char *answer_parameters_health(size_t *size);

#endif
