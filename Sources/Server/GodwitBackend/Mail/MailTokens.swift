//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer

/// A token in a link of a mail: its kind, user and secret in one text.
struct MailToken: Equatable, Sendable {
    let kind: MailKind
    let user: String
    let secret: String

    init(_ kind: MailKind, user: String, secret: String) {
        (self.kind, self.user, self.secret) = (kind, user, secret)
    }

    /// Parses a token without verifying it; `nil` when it is malformed.
    init?(_ text: String) {
        let parts = text.pieces(at: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let kind = MailKind(rawValue: String(parts[0])),
            let name = Base64URL.decode(parts[1]).flatMap({ String(validating: $0, as: UTF8.self) })
        else { return nil }
        self.init(kind, user: name, secret: String(parts[2]))
    }

    var text: String { "\(kind.rawValue).\(Base64URL.encode(Array(user.utf8))).\(secret)" }
}

/// The tokens of a user's mails, stored as a local document of the database of accounts. Only the last token of each
/// kind is valid. This token can be used once, within a limited time. Only digests of the tokens are stored.
struct MailTokens: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        let digest: [UInt8]
        /// The address to which the mail was sent.
        let email: String
        /// The time at which the token expires, in seconds since 1970.
        let expires: Int
    }

    private var entries: [MailKind: Entry] = [:]

    /// Returns the id of a user's tokens, without `_local/`.
    static func id(of user: String) -> String { "mail:\(user)" }

    /// Issues a token. The previous token of the same kind becomes invalid.
    ///
    /// - Returns: The secret. For a login it is a code of eight digits. For any other kind it is a long random text.
    mutating func issue(_ kind: MailKind, for email: String, now: Int) -> String {
        let secret = kind == .login ? MailTokens.code() : Base64URL.encode(.random(count: 24))
        entries[kind] = Entry(digest: MailTokens.digest(secret), email: email, expires: now + kind.secondsMax)
        return secret
    }

    /// Uses a token.
    ///
    /// - Returns: The address to which the token was sent; `nil` when the token is wrong, is expired, was used, or was
    ///   replaced by a later token.
    mutating func use(_ kind: MailKind, _ secret: String, now: Int) -> String? {
        guard let entry = entries[kind], now < entry.expires,
            constantTimeEqual(entry.digest, MailTokens.digest(secret))
        else { return nil }
        entries[kind] = nil
        return entry.email
    }

    /// Makes all tokens invalid.
    mutating func removeAll() { entries = [:] }

    private static func code() -> String {
        let digits = String(UInt32.random(in: 0..<100_000_000))
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private static func digest(_ secret: String) -> [UInt8] { MessageDigest.Algorithm.sha256.digest(of: secret.utf8) }
}

extension MailTokens: LocalState {
    init(_ body: [UInt8]?) {
        let members = body.flatMap { try? JSONValue(parsing: $0) }?.objectValue ?? [:]
        for (name, value) in members {
            guard let kind = MailKind(rawValue: name), let expires = value["expires"]?.intValue,
                let digest = value["digest"]?.stringValue.flatMap({ [UInt8](hexadecimal: $0.utf8) }),
                let email = value["email"]?.stringValue
            else { continue }
            entries[kind] = Entry(
                digest: digest, email: email, expires: expires)
        }
    }

    var bytes: [UInt8] {
        let members = entries.sorted { $0.key.rawValue < $1.key.rawValue }.map { kind, entry -> (String, JSONValue) in
            (
                kind.rawValue,
                [
                    "digest": .string(entry.digest.hexadecimal), "email": .string(entry.email),
                    "expires": .integer(Int64(entry.expires)),
                ]
            )
        }
        return JSONValue.object(JSONObject(members)).jsonBytes()
    }
}
