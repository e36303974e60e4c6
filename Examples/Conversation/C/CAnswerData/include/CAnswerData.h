//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef ANSWER_DATA_H
#define ANSWER_DATA_H

#include <stddef.h>

/// Returns the learned parameters for questions about health, a JSON object, and writes its size.
const unsigned char *answer_parameters_health(size_t *size);

/// Returns the small corpus of questions, lines of JSON in gzip, and writes its size.
const unsigned char *answer_corpus(size_t *size);

#endif
