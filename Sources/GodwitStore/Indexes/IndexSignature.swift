//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes

/// Names for indexes that are told apart by what they are made of.
package enum IndexSignature {
    /// 32 hexadecimal digits that stand for a definition.
    package static func of(_ text: [UInt8]) -> String {
        MessageDigest.Algorithm.sha256.digest(of: text).prefix(16).hexadecimal
    }
}
