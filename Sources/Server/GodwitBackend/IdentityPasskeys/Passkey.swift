//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import GodwitJSON

/// A credential of WebAuthn: a key pair whose private key is in an authenticator.
public struct Passkey: Equatable, Sendable {
    /// The identifier that the authenticator chose.
    public let id: [UInt8]
    /// The public key, a point of P-256 in the uncompressed form of X9.63.
    public let publicKey: [UInt8]
    /// The number of signatures that the authenticator reported at the last login. It is always 0 for an authenticator
    /// that does not count its signatures.
    public var signatureCount: UInt32

    /// Creates a passkey from stored values.
    public init(id: [UInt8], publicKey: [UInt8], signatureCount: UInt32) {
        (self.id, self.publicKey, self.signatureCount) = (id, publicKey, signatureCount)
    }
}

/// The site for which passkeys are created and used.
public struct RelyingParty: Equatable, Sendable {
    /// The domain: `localhost`, or a registered domain of the site.
    public let id: String
    /// The origin of the pages, `https://sync.example.org`.
    public let origin: String

    /// Creates a relying party.
    public init(id: String, origin: String) { (self.id, self.origin) = (id, origin) }
}

extension RelyingParty {
    /// Returns the passkey that an authenticator created (Web Authentication Level 2, section 7.1). The attestation
    /// statement is not verified, because the registration does not request an attestation.
    ///
    /// - Parameters:
    ///   - clientData: The response's `clientDataJSON`.
    ///   - attestation: The response's `attestationObject`.
    ///   - challenge: The challenge of the request.
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/refused``.
    public func registeredPasskey(
        clientData: [UInt8], attestation: [UInt8], challenge: [UInt8]
    ) throws(IdentityError) -> Passkey {
        try check(clientData, type: "webauthn.create", challenge: challenge)
        var reader = CBORReader(attestation)
        guard let object = reader.value(), let bytes = object["authData"]?.bytes,
            let data = AuthenticatorData(bytes)
        else { throw .refused("The authenticator's answer cannot be read.") }
        try check(data)
        guard let passkey = data.passkey else {
            throw .refused("The authenticator created no key of the algorithm ES256.")
        }
        return passkey
    }

    /// Checks the signature of a login with a passkey (Web Authentication Level 2, section 7.2).
    ///
    /// - Parameters:
    ///   - passkey: The stored passkey.
    ///   - clientData: The response's `clientDataJSON`.
    ///   - authenticatorData: The response's `authenticatorData`.
    ///   - signature: The response's `signature`.
    ///   - challenge: The challenge of the request.
    /// - Returns: The new ``Passkey/signatureCount``, which the caller must store.
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/refused``.
    public func signatureCount(
        of passkey: Passkey, clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], challenge: [UInt8]
    ) throws(IdentityError) -> UInt32 {
        try check(clientData, type: "webauthn.get", challenge: challenge)
        guard let data = AuthenticatorData(authenticatorData) else {
            throw .refused("The authenticator's answer cannot be read.")
        }
        try check(data)
        let signed = authenticatorData + Array(SHA256.hash(data: clientData))
        guard let key = try? P256.Signing.PublicKey(x963Representation: passkey.publicKey),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature),
            key.isValidSignature(signature, for: signed)
        else { throw .refused("The signature of the passkey is wrong.") }
        guard data.signatureCount > passkey.signatureCount || data.signatureCount == 0 && passkey.signatureCount == 0
        else {
            throw .refused("This passkey was copied: its counter went back. Delete it, and register another one.")
        }
        return data.signatureCount
    }

    private func check(_ clientData: [UInt8], type: String, challenge: [UInt8]) throws(IdentityError) {
        guard let value = try? JSONValue(parsing: clientData),
            value["type"]?.stringValue?.isIdenticalText(to: type) == true,
            let text = value["challenge"]?.stringValue, Base64URL.decode(text) == challenge
        else { throw .refused("The answer is not to this challenge. Try again.") }
        guard value["origin"] == .string(origin), value["crossOrigin"] != true else {
            throw .refused("The passkey was used by a page of another site.")
        }
    }

    private func check(_ data: AuthenticatorData) throws(IdentityError) {
        guard data.relyingPartyHash == Array(SHA256.hash(data: Array(id.utf8))) else {
            throw .refused("The passkey belongs to another site.")
        }
        guard data.isUserPresent, data.isUserVerified else {
            throw .refused("The authenticator did not verify the user, by a PIN, a fingerprint or a face.")
        }
    }
}

/// The data that an authenticator signs (Web Authentication Level 2, section 6.1).
private struct AuthenticatorData {
    private static let headBytes = 37
    private static let modelBytes = 16
    private static let idBytesMax = 1_023

    let relyingPartyHash: [UInt8]
    let isUserPresent: Bool
    let isUserVerified: Bool
    let signatureCount: UInt32
    /// The new passkey; `nil` if the data contains no passkey, or if the key of the passkey is not a valid key of
    /// ES256.
    private(set) var passkey: Passkey?

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= AuthenticatorData.headBytes else { return nil }
        relyingPartyHash = Array(bytes[..<32])
        let flags = bytes[32]
        (isUserPresent, isUserVerified) = (flags & 1 != 0, flags & 4 != 0)
        signatureCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        guard flags & 0x40 != 0 else { return }
        let start = AuthenticatorData.headBytes + AuthenticatorData.modelBytes
        guard bytes.count >= start + 2 else { return nil }
        let count = Int(bytes[start]) << 8 | Int(bytes[start + 1])
        guard (1...AuthenticatorData.idBytesMax).contains(count), bytes.count >= start + 2 + count else { return nil }
        var reader = CBORReader(bytes, from: start + 2 + count)
        guard let key = reader.value() else { return nil }
        // RFC 9053: key type EC2, algorithm ES256, curve P-256.
        guard key[1]?.integer == 2, key[3]?.integer == -7, key[-1]?.integer == 1, let x = key[-2]?.bytes,
            let y = key[-3]?.bytes, x.count == 32, y.count == 32,
            (try? P256.Signing.PublicKey(x963Representation: [4] + x + y)) != nil
        else { return }
        passkey = Passkey(
            id: Array(bytes[start + 2..<start + 2 + count]), publicKey: [4] + x + y, signatureCount: signatureCount)
    }
}
