//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras
import GodwitBytes
import GodwitJSON
import GodwitStore

/// A stored password, in the forms in which CouchDB keeps those of administrators and users.
///
/// New ones are PBKDF2 with HMAC-SHA-256. Older ones, PBKDF2 with SHA-1 and a salted SHA-1, are recognised, so that users
/// replicated from any CouchDB log in, and are made anew at their next login.
package struct PasswordHash: Equatable, Sendable {
    /// How the key is made of a password.
    enum Scheme: Equatable, Sendable {
        case pbkdf2(Function, iterations: Int)
        /// SHA-1 of password and salt, CouchDB's `simple`.
        case simple
    }

    /// The hash function within PBKDF2.
    enum Function: String, Sendable {
        case sha, sha256, sha384, sha512
    }

    /// Rounds for a new hash, unless settings say otherwise. (OWASP, Password Storage, 2023)
    package static let iterationsDefault = 600_000

    /// Rounds above which a stored hash is refused, lest a login take for ever.
    package static let iterationsMax = 2_000_000

    /// The shortest salt that a hash keeps, in bytes: one with a shorter salt is made anew at the next login.
    static let saltBytesMin = 16

    /// The longest stored key, in bytes: each 32 of them cost all rounds again.
    private static let keyBytesMax = 64

    private static let keyBytes = 32

    let scheme: Scheme
    /// As CouchDB writes it: hexadecimal digits, and as such it enters the derivation.
    let salt: String
    let key: [UInt8]

    package init(of password: String, iterations: Int = iterationsDefault) {
        scheme = .pbkdf2(.sha256, iterations: iterations)
        salt = [UInt8].random(count: 16).hexadecimal
        key = PasswordHash.derive(password, scheme, salt: salt, bytes: PasswordHash.keyBytes)
    }

    /// A hash that costs as much to check as a new one, and that no password matches.
    ///
    /// - Parameter salt: What session cookies are bound to.
    package init(ofNobody iterations: Int, salt: String = "") {
        scheme = .pbkdf2(.sha256, iterations: iterations)
        self.salt = salt
        key = .random(count: PasswordHash.keyBytes)
    }

    private init?(scheme: Scheme, salt: String, key: [UInt8]) {
        if case .pbkdf2(_, let iterations) = scheme, !(1...PasswordHash.iterationsMax).contains(iterations) {
            return nil
        }
        guard !key.isEmpty, key.count <= PasswordHash.keyBytesMax else { return nil }
        self.scheme = scheme
        self.salt = salt
        self.key = key
    }

    /// Whether a password is the one that was stored. Takes the same time wherever the two differ.
    package func matches(_ password: String) -> Bool {
        constantTimeEqual(PasswordHash.derive(password, scheme, salt: salt, bytes: key.count), key)
    }

    /// Rounds of the derivation; 0 for the scheme that has none.
    var iterations: Int {
        guard case .pbkdf2(_, let iterations) = scheme else { return 0 }
        return iterations
    }

    /// Whether a password is the one that was stored. A wrong one costs as much as a new hash, however it was stored: the
    /// time of the answer does not tell administrators, keys, users and unknown names apart.
    ///
    /// - Parameter iterations: Rounds of a new hash.
    func matches(_ password: String, orCosts iterations: Int) -> Bool {
        if matches(password) { return true }
        let done = if case .pbkdf2(_, let own) = scheme { own } else { 0 }
        if done < iterations {
            _ = PasswordHash.derive(
                password, .pbkdf2(.sha256, iterations: iterations - done), salt: salt, bytes: PasswordHash.keyBytes)
        }
        return false
    }

    /// Whether a new hash would be stronger.
    func isWeaker(than iterations: Int) -> Bool {
        guard case .pbkdf2(let function, let own) = scheme else { return true }
        return function == .sha || own < iterations || salt.utf8.count < PasswordHash.saltBytesMin
    }

    private static func derive(_ password: String, _ scheme: Scheme, salt: String, bytes: Int) -> [UInt8] {
        switch scheme {
        case .simple: return Array(Insecure.SHA1.hash(data: Array((password + salt).utf8)))
        case .pbkdf2(let function, let iterations):
            let derived = try? KDF.Insecure.PBKDF2.deriveKey(
                from: Array(password.utf8), salt: Array(salt.utf8), using: function.hashFunction,
                outputByteCount: bytes, unsafeUncheckedRounds: iterations)
            return derived.map { $0.withUnsafeBytes { Array($0) } } ?? []
        }
    }
}

extension PasswordHash.Function {
    fileprivate var hashFunction: KDF.Insecure.PBKDF2.HashFunction {
        switch self {
        case .sha: .insecureSHA1
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}

// MARK: The text of an administrator's password

extension PasswordHash {
    /// Reads `-pbkdf2:sha256-KEY,SALT,ITERATIONS`, `-pbkdf2-KEY,SALT,ITERATIONS` or `-hashed-KEY,SALT`.
    package init?(_ text: String) {
        guard text.hasPrefix("-"), let end = text.dropFirst().firstIndex(of: "-") else { return nil }
        let name = text[text.index(after: text.startIndex)..<end]
        let parts = text[text.index(after: end)...].split(separator: ",")
        guard parts.count >= 2, let key = [UInt8](hexadecimal: parts[0].utf8) else { return nil }
        let salt = String(parts[1])
        if name == "hashed", parts.count == 2 {
            self.init(scheme: .simple, salt: salt, key: key)
            return
        }
        let words = name.split(separator: ":")
        guard parts.count == 3, let iterations = Int(parts[2]), words.first == "pbkdf2", words.count <= 2,
            let function = words.count == 2 ? Function(rawValue: String(words[1])) : .sha
        else { return nil }
        self.init(scheme: .pbkdf2(function, iterations: iterations), salt: salt, key: key)
    }

    /// The hash as ``init(_:)`` reads it.
    package var description: String {
        switch scheme {
        case .simple: "-hashed-\(key.hexadecimal),\(salt)"
        case .pbkdf2(.sha, let iterations): "-pbkdf2-\(key.hexadecimal),\(salt),\(iterations)"
        case .pbkdf2(let function, let iterations):
            "-pbkdf2:\(function.rawValue)-\(key.hexadecimal),\(salt),\(iterations)"
        }
    }
}

// MARK: The members of a user's document

extension PasswordHash {
    /// The members that hold a password or its hash.
    static let members = [
        "password", "password_scheme", "password_sha", "pbkdf2_prf", "salt", "iterations", "derived_key",
    ]

    /// Reads the hash in a user's document.
    init?(user: JSONObject) {
        guard let salt = user["salt"]?.stringValue else { return nil }
        switch user["password_scheme"]?.stringValue ?? "simple" {
        case "simple":
            guard let key = user["password_sha"]?.stringValue.flatMap({ [UInt8](hexadecimal: $0.utf8) }) else {
                return nil
            }
            self.init(scheme: .simple, salt: salt, key: key)
        case "pbkdf2":
            guard let key = user["derived_key"]?.stringValue.flatMap({ [UInt8](hexadecimal: $0.utf8) }),
                let iterations = user["iterations"]?.intValue,
                let function = Function(rawValue: user["pbkdf2_prf"]?.stringValue ?? "sha")
            else { return nil }
            self.init(scheme: .pbkdf2(function, iterations: iterations), salt: salt, key: key)
        default: return nil
        }
    }

    /// What of a user's document says how its password is stored.
    static func stored(in user: JSONObject) -> [JSONValue?] { storedMembers.map { user[$0] } }

    private static let storedMembers = members.filter { $0 != "password" }

    /// Puts the hash into a user's document, in place of a password or of another hash.
    func write(to user: inout JSONObject) {
        for member in PasswordHash.members { user[member] = nil }
        user["salt"] = .string(salt)
        switch scheme {
        case .simple:
            user["password_scheme"] = "simple"
            user["password_sha"] = .string(key.hexadecimal)
        case .pbkdf2(let function, let iterations):
            user["password_scheme"] = "pbkdf2"
            user["pbkdf2_prf"] = .string(function.rawValue)
            user["iterations"] = .integer(Int64(iterations))
            user["derived_key"] = .string(key.hexadecimal)
        }
    }
}

/// Compares two byte strings in a time that depends on their lengths alone.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count, !left.isEmpty else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(left, right) { difference |= a ^ b }
    return difference == 0
}
