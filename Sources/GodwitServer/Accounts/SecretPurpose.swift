//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// What a key is for that is derived from the server's secret: each purpose has a key of its own (HKDF, RFC 5869), so that
/// what one signs proves nothing where another is asked for.
///
/// Proxy tokens are no purpose: other programs compute them with the secret itself, as CouchDB has it.
enum SecretPurpose: String, Sendable {
    case sessionCookie = "godwit session cookie v1"

    private static let keyBytes = 32

    /// The key for this purpose.
    func key(from secret: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(secret.utf8)), info: Array(rawValue.utf8),
            outputByteCount: SecretPurpose.keyBytes)
    }
}
