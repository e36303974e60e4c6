//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

extension ScriptError: WriteRefusal {
    /// The HTTP status of a write that a validation refused or could not check. A function that fails on a document
    /// usually fails again, so its failure, also a timeout, counts as a refusal (403), which is not retried. The
    /// transient failures `busy` and `crashed` have the status 503, and a function's error `unauthorized` has 401.
    package var statusOfRefusal: Int {
        switch (code, error) {
        case (.busy, _), (.crashed, _): 503
        case (.thrown, "unauthorized"): 401
        default: 403
        }
    }
}
