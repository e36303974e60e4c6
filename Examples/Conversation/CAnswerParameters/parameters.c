//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CAnswerParameters.h"

static const unsigned char health[] = {
#embed "health.json"
};

const unsigned char *answer_parameters_health(size_t *size) {
    *size = sizeof health;
    return health;
}
