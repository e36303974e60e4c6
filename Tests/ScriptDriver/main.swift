//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitScript

// The process in which the tests of the engine run functions of design documents, as `godwit script-worker` is.
ScriptWorker.run()
