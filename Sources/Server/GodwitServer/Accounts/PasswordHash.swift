//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras
import GodwitBase
import GodwitJSON
import GodwitStore

/// A stored password in CouchDB's formats for administrators and users.
///
/// New hashes are PBKDF2 with HMAC-SHA-256. The older formats, PBKDF2 with SHA-1 and salted SHA-1, are also verified.
/// Therefore, users whose documents were replicated from a CouchDB can log in, if their hashes have at most
/// ``iterationsMax`` rounds. When a user with an older hash logs in, a new hash replaces it.
package struct PasswordHash: Equatable, Sendable {
    /// The method that derives the key from a password.
    enum Scheme: Equatable, Sendable {
        case pbkdf2(Function, iterations: Int)
        /// SHA-1 of password and salt, CouchDB's `simple`.
        case simple
    }

    /// The hash function in PBKDF2.
    enum Function: String, Sendable {
        case sha, sha256, sha384, sha512
    }

    /// The number of rounds for a new hash, if the settings define no other number. (OWASP, Password Storage, 2023)
    package static let iterationsDefault = 600_000

    /// The maximum number of rounds. Hashes with more rounds are refused, because a login with such a hash would take
    /// too long.
    package static let iterationsMax = 2_000_000

    /// The minimum length of a salt's text, in bytes. When a user with a shorter salt logs in, a new hash replaces the
    /// hash.
    static let saltBytesMin = 16

    /// The maximum length of a stored key, in bytes. The maximum limits the time of a login: PBKDF2 computes a long key
    /// in parts of the length of the hash function's output, and runs all rounds for each part.
    private static let keyBytesMax = 64

    private static let keyBytes = 32

    let scheme: Scheme
    /// The salt in CouchDB's form, hexadecimal digits. The key is derived from this text, not from the bytes.
    let salt: String
    let key: [UInt8]

    /// Hashes a password with PBKDF2 and a random salt.
    ///
    /// - Parameter iterations: The number of rounds, at least 1. A hash with more than ``iterationsMax`` rounds cannot
    ///   be read again.
    package init(of password: String, iterations: Int = iterationsDefault) {
        scheme = .pbkdf2(.sha256, iterations: iterations)
        salt = [UInt8].random(count: 16).hexadecimal
        key = PasswordHash.derive(password, scheme, salt: salt, bytes: PasswordHash.keyBytes)
    }

    /// Creates a hash that no password matches. The check of a password against this hash takes as long as the check
    /// against any other new hash.
    ///
    /// - Parameter salt: For an account that has no password but has sessions: the salt to which its session cookies
    ///   are bound.
    package init(ofUnknownUser iterations: Int, salt: String = "") {
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

    /// Whether a password matches. The time of the comparison does not depend on the position at which the keys differ.
    package func matches(_ password: String) -> Bool {
        constantTimeEqual(PasswordHash.derive(password, scheme, salt: salt, bytes: key.count), key)
    }

    /// The number of rounds of the derivation; 0 for ``Scheme/simple``.
    var iterations: Int {
        guard case .pbkdf2(_, let iterations) = scheme else { return 0 }
        return iterations
    }

    /// Whether a password matches. Before a password is rejected, at least as many rounds are computed as for a new
    /// hash, even if the stored hash has fewer. Therefore, the response time does not show whether an account with the
    /// name exists, nor of which kind it is. There is an exception: the response takes longer if the stored hash has
    /// more rounds than a new hash, or a key that is longer than one output of the hash function.
    ///
    /// - Parameter iterations: The number of rounds of a new hash.
    func matches(_ password: String, orCosts iterations: Int) -> Bool {
        if matches(password) { return true }
        let doneIterations = if case .pbkdf2(_, let ownIterations) = scheme { ownIterations } else { 0 }
        if doneIterations < iterations {
            _ = PasswordHash.derive(
                password, .pbkdf2(.sha256, iterations: iterations - doneIterations), salt: salt,
                bytes: PasswordHash.keyBytes)
        }
        return false
    }

    /// Whether a new hash would be stronger. It would be stronger if this hash does not use PBKDF2, uses SHA-1, has
    /// fewer rounds than `iterations`, or has a short salt.
    func isWeaker(than iterations: Int) -> Bool {
        guard case .pbkdf2(let function, let ownIterations) = scheme else { return true }
        return function == .sha || ownIterations < iterations || salt.utf8.count < PasswordHash.saltBytesMin
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
    /// Parses `-pbkdf2:sha256-KEY,SALT,ITERATIONS`, `-pbkdf2-KEY,SALT,ITERATIONS` or `-hashed-KEY,SALT`.
    ///
    /// - Returns: `nil` for another format, for an empty salt, for a key that is empty or too long, and for a number of
    ///   rounds that is below 1 or above ``iterationsMax``.
    package init?(_ text: String) {
        guard text.begins(with: "-"), let end = text.dropFirst().utf8.firstIndex(of: UInt8(ascii: "-")) else {
            return nil
        }
        let name = text[text.index(after: text.startIndex)..<end]
        let parts = text[text.index(after: end)...].pieces(at: ",")
        guard parts.count >= 2, let key = [UInt8](hexadecimal: parts[0].utf8) else { return nil }
        let salt = String(parts[1])
        if name == "hashed", parts.count == 2 {
            self.init(scheme: .simple, salt: salt, key: key)
            return
        }
        let nameParts = name.pieces(at: ":")
        guard parts.count == 3, let iterations = Int(parts[2]), nameParts.first == "pbkdf2", nameParts.count <= 2,
            let function = nameParts.count == 2 ? Function(rawValue: String(nameParts[1])) : .sha
        else { return nil }
        self.init(scheme: .pbkdf2(function, iterations: iterations), salt: salt, key: key)
    }

    /// The hash in the format that ``init(_:)`` parses.
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
    /// The members that contain a password or its hash.
    static let members = [
        "password", "password_scheme", "password_sha", "pbkdf2_prf", "salt", "iterations", "derived_key",
    ]

    /// Reads the hash in a user's document.
    ///
    /// - Returns: `nil` when members are missing or invalid, and for an unknown scheme or hash function.
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

    /// The members of a user's document that define the stored password.
    static func stored(in user: JSONObject) -> [JSONValue?] { storedMembers.map { user[$0] } }

    private static let storedMembers = members.filter { $0 != "password" }

    /// Writes the hash to a user's document. If the document contains a password or another hash, these are removed.
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

/// Compares two byte strings. The time of the comparison depends only on their lengths, not on their contents. Empty
/// strings never match.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count, !left.isEmpty else { return false }
    var difference: UInt8 = 0
    for (leftByte, rightByte) in zip(left, right) { difference |= leftByte ^ rightByte }
    return difference == 0
}
