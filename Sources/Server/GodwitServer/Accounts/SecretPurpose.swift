//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// A purpose of a key that is derived from the server's secret. Each purpose has its own key (HKDF, RFC 5869).
/// Therefore a signature for one purpose is not valid for another purpose.
///
/// The tokens of proxies have no purpose here. The reason is that other programs compute these tokens, and they use the
/// secret itself as the key, as in CouchDB.
enum SecretPurpose: String, Sendable {
    case sessionCookie = "godwit session cookie v1"
    case consoleCookie = "godwit console cookie v1"
    case consoleToken = "godwit console token v1"

    private static let keyBytes = 32

    /// Derives the key for this purpose.
    func key(from secret: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(secret.utf8)), info: Array(rawValue.utf8),
            outputByteCount: SecretPurpose.keyBytes)
    }
}
