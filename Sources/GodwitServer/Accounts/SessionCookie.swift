//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitStore

/// CouchDB's session cookie: the URL-safe base64 of `NAME:TIME:HMAC`, where TIME is the second of its making in
/// hexadecimal digits and the key is the server's secret and the user's salt.
///
/// A changed password has another salt and ends its sessions.
struct SessionCookie {
    static let name = "AuthSession"

    /// Whose session it is.
    let user: String
    /// When it was made, in seconds since 1970.
    let time: Int
    private let code: [UInt8]

    /// Makes a cookie.
    init(user: String, salt: String, secret: String, time: Int) {
        self.user = user
        self.time = time
        code = SessionCookie.code(user: user, time: time, salt: salt, secret: secret)
    }

    /// Reads a cookie's value, which proves nothing yet.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count > SHA256.byteCount + 1 else { return nil }
        let head = bytes.dropLast(SHA256.byteCount + 1)
        guard bytes[head.endIndex] == UInt8(ascii: ":"), let words = String(validating: head, as: UTF8.self),
            let colon = words.lastIndex(of: ":"), let time = Int(words[words.index(after: colon)...], radix: 16)
        else { return nil }
        user = String(words[..<colon])
        self.time = time
        code = Array(bytes.suffix(SHA256.byteCount))
    }

    /// The cookie's value.
    var text: String { Base64URL.encode(Array("\(user):\(SessionCookie.digits(of: time)):".utf8) + code) }

    /// Whether this server made it for a user with this salt.
    func isGenuine(salt: String, secret: String) -> Bool {
        constantTimeEqual(code, SessionCookie.code(user: user, time: time, salt: salt, secret: secret))
    }

    private static func code(user: String, time: Int, salt: String, secret: String) -> [UInt8] {
        let key = SymmetricKey(data: Array((secret + salt).utf8))
        return Array(HMAC<SHA256>.authenticationCode(for: Array("\(user):\(digits(of: time))".utf8), using: key))
    }

    private static func digits(of time: Int) -> String { String(time, radix: 16, uppercase: true) }
}
