//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

extension ScriptError: WriteRefusal {
    /// The HTTP status of a write that a validation function refused or could not check. If a function fails on a
    /// document, for example because of a timeout, it usually fails again on the same document. Therefore such a
    /// failure is treated as a refusal with status 403, so that clients do not repeat the write. The failures `busy`
    /// and `crashed` may be temporary and have status 503. If the function itself throws `unauthorized`, the status is
    /// 401.
    package var statusOfRefusal: Int {
        switch (code, error) {
        case (.busy, _), (.crashed, _): 503
        case (.thrown, "unauthorized"): 401
        default: 403
        }
    }
}
