//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer

/// A user's second factor: an app that shows one-time passwords, and recovery codes in case the app is lost.
///
/// It is stored as a local document of the database of accounts. The secret is stored in plain text, since the server
/// must compute the one-time passwords. For the recovery codes, only digests are stored.
struct SecondFactor: Equatable, Sendable {
    /// The number of recovery codes.
    static let recoveryCodesCount = 10

    /// The secret that the app and the server share; empty when the user has no second factor.
    private var secret: [UInt8] = []
    /// Whether the user has proved that the app has the secret. Before this proof, logins need no second factor.
    private(set) var isActive = false
    private var recoveryDigests: [[UInt8]] = []
    /// The step of the last password that was used. Passwords of this and earlier steps are refused.
    private var lastStep = 0

    /// Returns the id of a user's second factor, without `_local/`.
    static func id(of user: String) -> String { "second-factor:\(user)" }

    /// Creates a secret. If a secret exists that is not active yet, the new secret replaces it.
    ///
    /// - Returns: The secret; `nil` when the second factor is active.
    mutating func begin() -> [UInt8]? {
        guard !isActive else { return nil }
        secret = .random(count: OneTimePassword.secretBytes)
        return secret
    }

    /// Activates the second factor with the app's first password.
    ///
    /// - Returns: The recovery codes; `nil` when the password is wrong or there is nothing to activate.
    mutating func activate(_ password: String, now: Int) -> [String]? {
        guard !isActive, !secret.isEmpty, usePassword(password, now: now) else { return nil }
        isActive = true
        let codes = (0..<SecondFactor.recoveryCodesCount).map { _ in Base32.encode(.random(count: 16)) }
        recoveryDigests = codes.map { SecondFactor.digest($0) }
        return codes
    }

    /// Uses a one-time password or a recovery code. Each password and each code is valid once.
    mutating func use(_ text: String, now: Int) -> Bool {
        guard isActive else { return false }
        if usePassword(text, now: now) { return true }
        let digest = SecondFactor.digest(text.uppercased())
        guard let index = recoveryDigests.firstIndex(where: { constantTimeEqual($0, digest) }) else { return false }
        recoveryDigests.remove(at: index)
        return true
    }

    /// Uses a password of the current step, of the step before it or of the step after it. All three are accepted,
    /// because the clocks of the app and of the server may differ.
    private mutating func usePassword(_ password: String, now: Int) -> Bool {
        let current = now / OneTimePassword.stepSeconds
        for step in current - 1...current + 1 where step > lastStep {
            let expected = OneTimePassword.password(secret, step: step)
            guard constantTimeEqual(Array(expected.utf8), Array(password.utf8)) else { continue }
            lastStep = step
            return true
        }
        return false
    }

    /// Returns the `otpauth` address that an authenticator app reads from an image.
    static func address(_ secret: [UInt8], of user: String, in application: Application) -> String {
        let issuer = (application.mail?.server.name ?? application.id).percentEncoded
        return "otpauth://totp/\(issuer):\(user.percentEncoded)?secret=\(Base32.encode(secret))&issuer=\(issuer)"
    }

    /// Returns the digest of a recovery code. One round of hashing is sufficient, because the codes have 128 random
    /// bits and cannot be guessed.
    private static func digest(_ code: String) -> [UInt8] { MessageDigest.Algorithm.sha256.digest(of: code.utf8) }
}

extension SecondFactor: LocalState {
    init(_ body: [UInt8]?) {
        guard let value = body.flatMap({ try? JSONValue(parsing: $0) }) else { return }
        secret = value["secret"]?.stringValue.flatMap { [UInt8](hexadecimal: $0.utf8) } ?? []
        // If the stored secret is invalid, the second factor is inactive. Otherwise, the user could never log in,
        // because no password would be accepted.
        isActive = value["active"] == true && !secret.isEmpty
        lastStep = value["last_step"]?.intValue ?? 0
        recoveryDigests =
            value["recovery"]?.arrayValue?.compactMap { $0.stringValue.flatMap { [UInt8](hexadecimal: $0.utf8) } } ?? []
    }

    var bytes: [UInt8] {
        ([
            "secret": .string(secret.hexadecimal), "active": .bool(isActive), "last_step": .integer(Int64(lastStep)),
            "recovery": .array(recoveryDigests.map { .string($0.hexadecimal) }),
        ] as JSONValue).jsonBytes()
    }
}
