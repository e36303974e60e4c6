//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

extension ScriptError: WriteRefusal {
    /// The HTTP status of a write that a validation refused or could not check. A function that fails on a document
    /// usually fails again. Therefore a failure, such as a timeout, is treated as a refusal (status 403), and the write
    /// is not retried. The failures `busy` and `crashed` may be temporary and have status 503. If the function itself
    /// throws `unauthorized`, the status is 401.
    package var statusOfRefusal: Int {
        switch (code, error) {
        case (.busy, _), (.crashed, _): 503
        case (.thrown, "unauthorized"): 401
        default: 403
        }
    }
}
