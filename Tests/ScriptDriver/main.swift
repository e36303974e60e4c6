//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitScript

// The worker process for the tests of the engine, equivalent to `godwit script-worker`.
ScriptWorker.run()
