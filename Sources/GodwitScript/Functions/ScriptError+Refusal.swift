//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

extension ScriptError: WriteRefusal {
    /// The status of a document that a validation refused, or that none could be asked about. A function that fails on a
    /// document fails on it again: that counts as refused too, and is not tried for hours.
    package var statusOfRefusal: Int {
        switch (code, error) {
        case (.busy, _), (.crashed, _): 503
        case (.thrown, "unauthorized"): 401
        default: 403
        }
    }
}
