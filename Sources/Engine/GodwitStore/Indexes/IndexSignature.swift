//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Creates names for indexes that are identified by their definition.
package enum IndexSignature {
    /// A name for a definition: the first 32 hexadecimal digits of its SHA-256.
    package static func of(_ text: [UInt8]) -> String {
        MessageDigest.Algorithm.sha256.digest(of: text).prefix(16).hexadecimal
    }
}
