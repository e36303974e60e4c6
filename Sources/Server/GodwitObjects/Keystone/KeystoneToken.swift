//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import GodwitJSON

/// A token of an account. It contains the account's name, the time at which the token was issued, the time at which it
/// expires, and a signature. The signature is made with a key of the storage, and also covers the account's secret key.
/// Therefore all tokens of an account become invalid when its secret key is replaced.
struct KeystoneToken: Sendable {
    /// The lifetime of a token, in seconds.
    static let secondsMax = 3_600
    /// The largest accepted length of a token in bytes.
    private static let bytesMax = 1_024
    private static let prefix = "gw1."
    private static let randomBytes = 12

    let account: ObjectAccount
    /// The times at which the token was issued and expires, in seconds since 1970.
    let issued: Int
    let expires: Int
    let text: String

    /// Creates a token. Blocks the thread for disk access.
    init(for account: ObjectAccount, in directory: ObjectDirectory) throws {
        self.account = account
        issued = ObjectTime.now
        expires = issued + KeystoneToken.secondsMax
        let members: JSONObject = [
            "a": .string(account.name), "i": .integer(Int64(issued)), "e": .integer(Int64(expires)),
            "r": .string(Base64URL.encode(.random(count: KeystoneToken.randomBytes))),
        ]
        let payload = Base64URL.encode(JSONValue.object(members).jsonBytes())
        let signature = KeystoneToken.signature(of: payload, account, try directory.tokenKey())
        text = "\(KeystoneToken.prefix)\(payload).\(Base64URL.encode(Array(signature)))"
    }

    /// Checks a token. Blocks the thread for disk access.
    ///
    /// - Returns: `nil` if the token is not genuine, has expired or was revoked, or if its account no longer exists.
    init?(_ text: String, in directory: ObjectDirectory) throws {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map(Substring.init)
        guard text.utf8.count <= KeystoneToken.bytesMax, parts.count == 3, text.begins(with: KeystoneToken.prefix),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            let members = (try? JSONValue(parsing: payload))?.objectValue,
            let name = members["a"]?.stringValue, let issued = members["i"]?.intValue,
            let expires = members["e"]?.intValue, let account = try directory.account(named: name)
        else { return nil }
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                signature, authenticating: KeystoneToken.signed(String(parts[1]), account),
                using: SymmetricKey(data: try directory.tokenKey())),
            expires > ObjectTime.now, try !directory.isRevoked(tokenDigest: KeystoneToken.digest(of: text))
        else { return nil }
        self.account = account
        self.issued = issued
        self.expires = expires
        self.text = text
    }

    /// Makes the token invalid. Blocks the thread for disk access.
    func revoke(in directory: ObjectDirectory) throws {
        try directory.revoke(tokenDigest: KeystoneToken.digest(of: text), expires: expires)
    }

    /// Returns the digest by which a token is revoked. It covers the part of the token that is signed. It does not cover
    /// the signature, because several texts are decoded to the same signature.
    private static func digest(of text: String) -> [UInt8] {
        let end = text.utf8.lastIndex(of: UInt8(ascii: ".")) ?? text.endIndex
        return Array(SHA256.hash(data: Array(text.utf8[..<end])))
    }

    private static func signature(
        of payload: String, _ account: ObjectAccount, _ key: [UInt8]
    ) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: signed(payload, account), using: SymmetricKey(data: key))
    }

    private static func signed(_ payload: String, _ account: ObjectAccount) -> [UInt8] {
        Array("\(payload)\u{0}\(account.id)\u{0}\(account.secretKey)".utf8)
    }
}
