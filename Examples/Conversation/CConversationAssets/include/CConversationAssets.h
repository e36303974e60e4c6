//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef CONVERSATION_ASSETS_H
#define CONVERSATION_ASSETS_H

#include <stddef.h>

/// Finds a file of Conversation's pages, embedded when the program is built: `device/NAME` for the screens of a device, `NAME`
/// for the pages of the server. Writes its size, and returns NULL for an unknown name.
const unsigned char *conversation_asset(const char *name, size_t *size);

/// Returns the embedded corpus, JSON Lines compressed with gzip, and writes its size.
const unsigned char *conversation_corpus(size_t *size);

#endif
