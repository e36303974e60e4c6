//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSelector
import GodwitBase

/// Tests for Unicode's composed form (NFC), in which canonically equivalent strings have the same bytes.
package enum ComposedForm {
    /// Whether a string is in composed form. A string with too many marks in a row is not.
    package static func holds(_ text: String) -> Bool {
        guard !text.hasTooManyMarks else { return false }
        var text = text
        return text.withUTF8 { bytes in
            bytes.allSatisfy { $0 < 0x80 }
                || bytes.withMemoryRebound(to: CChar.self) {
                    godwit_icu_is_composed($0.baseAddress, Int32(clamping: $0.count)) != 0
                }
        }
    }
}
