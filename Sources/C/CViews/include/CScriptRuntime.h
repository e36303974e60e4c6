//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_SCRIPT_RUNTIME_H
#define GODWIT_SCRIPT_RUNTIME_H

/// The text of the environment in which functions of design documents run; it is valid while the program runs.
const char *godwit_script_runtime(void);

#endif
