//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import GodwitJSON
import GodwitStore

/// CouchDB's session cookie: the URL-safe base64 of `NAME:TIME:HMAC`, where TIME is the time at which the cookie was
/// created. The time is in seconds since 1970, and is written in hexadecimal digits.
///
/// The HMAC covers the name, the time, the account's kind, its roles, and its stored password or session salt. In the
/// text that the HMAC covers, the length of each item precedes the item. Therefore two accounts with different items
/// never have the same text. A change of the account's password, roles or kind ends all sessions of the account,
/// because the HMAC then differs. The key of the HMAC is used only for session cookies (``SecretPurpose``).
struct SessionCookie {
    static let name = "AuthSession"

    /// The name of the account.
    let user: String
    /// The time of creation, in seconds since 1970.
    let time: Int
    private let signature: [UInt8]

    /// Creates and signs a cookie.
    ///
    /// - Parameter key: The key for session cookies.
    init(for account: Account, key: SymmetricKey, time: Int) {
        user = account.name
        self.time = time
        signature = SessionCookie.signature(of: account, key: key, time: time)
    }

    /// Parses a cookie's value without verifying it; `nil` when it is malformed.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count > SHA256.byteCount + 1 else { return nil }
        let head = bytes.dropLast(SHA256.byteCount + 1)
        guard bytes[head.endIndex] == UInt8(ascii: ":"), let headText = String(validating: head, as: UTF8.self),
            let colon = headText.utf8.lastIndex(of: UInt8(ascii: ":")),
            let time = Int(headText[headText.utf8.index(after: colon)...], radix: 16)
        else { return nil }
        user = String(headText[..<colon])
        self.time = time
        signature = Array(bytes.suffix(SHA256.byteCount))
    }

    /// The cookie's value.
    var text: String { Base64URL.encode(Array("\(user):\(SessionCookie.digits(of: time)):".utf8) + signature) }

    /// Whether the cookie was signed with this key for the account as it is now. The cookie's age is not checked.
    ///
    /// - Parameter key: The key for session cookies.
    func isGenuine(for account: Account, key: SymmetricKey) -> Bool {
        account.name.isIdenticalText(to: user)
            && constantTimeEqual(signature, SessionCookie.signature(of: account, key: key, time: time))
    }

    private static func signature(of account: Account, key: SymmetricKey, time: Int) -> [UInt8] {
        var signed: [UInt8] = []
        let parts = [account.name, digits(of: time), account.kind.rawValue, account.sessionBinding]
        for part in parts + account.roles.sorted() {
            withUnsafeBytes(of: UInt32(clamping: part.utf8.count).bigEndian) { signed += $0 }
            signed += part.utf8
        }
        return Array(HMAC<SHA256>.authenticationCode(for: signed, using: key))
    }

    private static func digits(of time: Int) -> String { String(time, radix: 16, uppercase: true) }
}
