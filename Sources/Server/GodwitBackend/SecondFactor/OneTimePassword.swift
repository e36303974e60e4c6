//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// Time-based one-time passwords (RFC 6238) with HMAC-SHA-1, six digits and steps of 30 seconds, which all
/// authenticator apps support.
enum OneTimePassword {
    static let secretBytes = 20
    static let stepSeconds = 30
    private static let digits = 6

    /// Returns the password of a step.
    ///
    /// - Parameter step: The number of steps since 1970.
    static func password(_ secret: [UInt8], step: Int) -> String {
        let counter = withUnsafeBytes(of: UInt64(bitPattern: Int64(step)).bigEndian) { Array($0) }
        let code = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int(code[code.count - 1] & 15)
        let number = code[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
