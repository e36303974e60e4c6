//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CAnswerData.h"

static const unsigned char health[] = {
#embed "health.json"
};
static const unsigned char corpus[] = {
#embed "../../Data/questions-small.jsonl.gz"
};

const unsigned char *answer_parameters_health(size_t *size) {
    *size = sizeof health;
    return health;
}

const unsigned char *answer_corpus(size_t *size) {
    *size = sizeof corpus;
    return corpus;
}
