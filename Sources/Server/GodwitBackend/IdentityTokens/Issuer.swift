//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitJSON
import GodwitTransport
import JWTKit

/// A key with which an issuer signs.
struct IssuerKey: Sendable {
    let id: String?
    var key: JWK

    /// Parses a key of a set; `nil` when it is not an RSA or EC key for signatures.
    init?(_ value: JSONValue) {
        guard ["RSA", "EC"].contains(value["kty"]?.stringValue ?? ""), (value["use"] ?? "sig") == "sig",
            let key = try? JSONDecoder().decode(JWK.self, from: Data(value.jsonBytes()))
        else { return nil }
        id = value["kid"]?.stringValue
        self.key = key
    }
}

/// The addresses (URLs) in the metadata of an issuer (OpenID Connect Discovery 1.0, section 3).
struct IssuerMetadata: Sendable {
    let issuer: String
    let authorizationURL: String
    let tokenURL: String
    let keysURL: String
    /// The URL from which further claims of a user can be read; `nil` when the issuer has no such URL.
    let userInfoURL: String?

    /// Parses the metadata; `nil` when `issuer`, `jwks_uri` or `authorization_endpoint` is missing.
    init?(_ value: JSONValue) {
        guard let issuer = value["issuer"]?.stringValue, let keys = value["jwks_uri"]?.stringValue,
            let authorization = value["authorization_endpoint"]?.stringValue
        else { return nil }
        self.issuer = issuer
        authorizationURL = authorization
        // The metadata of Facebook contains no token endpoint, because the Graph API exchanges the codes.
        tokenURL = value["token_endpoint"]?.stringValue ?? ""
        keysURL = keys
        userInfoURL = value["userinfo_endpoint"]?.stringValue
    }
}

/// Reads an issuer's addresses and keys. They are kept in memory, and are read again after
/// ``IdentityLimits/keysSeconds``.
///
/// When a token names an unknown key, the issuer may have replaced its keys. Therefore the keys are read again. This
/// happens at most once in ``IdentityLimits/unknownKeySeconds``. While the issuer cannot be reached, known addresses
/// and keys are used until they are older than ``IdentityLimits/staleKeysSecondsMax``.
actor Issuer {
    private let url: String
    private let client: ProviderClient
    private let now: @Sendable () -> Int
    private var metadata: (value: IssuerMetadata, time: Int)?
    private var keys: (values: [IssuerKey], time: Int)?
    private var lastReading = Int.min / 2
    /// The task that is reading the keys. All callers wait for the same task.
    private var reading: Task<[IssuerKey], any Error>?

    init(_ url: String, client: ProviderClient, now: @escaping @Sendable () -> Int) {
        (self.url, self.client, self.now) = (url, client, now)
    }

    /// Returns the issuer's addresses.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/unavailable`` when the addresses cannot be read and
    ///   the known addresses are too old. The code is ``IdentityError/Code/misconfigured`` when addresses are missing,
    ///   when they belong to another issuer, and when they are on this machine although the issuer is on another
    ///   machine.
    func addresses() async throws(IdentityError) -> IssuerMetadata {
        let now = now()
        if let metadata, now - metadata.time < IdentityLimits.keysSeconds { return metadata.value }
        do throws(IdentityError) {
            let base = url.ends(with: "/") ? String(url.dropLast()) : url
            let response = try await client.get(base + "/.well-known/openid-configuration")
            guard response.status == 200, let value = IssuerMetadata(response.body) else {
                throw IdentityError(
                    .misconfigured,
                    "\(url) has no metadata of OpenID Connect (status \(response.status)). Check the issuer.")
            }
            guard
                value.issuer.isIdenticalText(to: url) || value.issuer.includes("{tenantid}")
                    || value.issuer.isIdenticalText(to: base)
            else {
                throw IdentityError(.misconfigured, "\(url) names itself another issuer. Check the issuer's URL.")
            }
            // If the issuer is on another machine, its addresses must not be on this machine. Otherwise, the issuer
            // could make this server send requests to programs on its own machine.
            let addresses =
                [value.authorizationURL, value.tokenURL, value.keysURL] + (value.userInfoURL.map { [$0] } ?? [])
            guard RemoteURL.mayReachThisMachine(url) || !addresses.contains(where: RemoteURL.mayReachThisMachine) else {
                throw IdentityError(.misconfigured, "\(url) names addresses on this machine. Check the issuer.")
            }
            metadata = (value, now)
            return value
        } catch {
            guard error.code == .unavailable, let metadata, now - metadata.time < IdentityLimits.staleKeysSecondsMax
            else { throw error }
            return metadata.value
        }
    }

    /// Returns the keys that may have signed a token: the keys whose identifier is in the token. If the token contains
    /// no key identifier, all keys are returned.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/refused`` when no key has the identifier, or
    ///   ``IdentityError/Code/unavailable`` when the keys cannot be read; the errors of ``addresses()``.
    func keys(for token: IDToken) async throws(IdentityError) -> [IssuerKey] {
        let known = try await currentKeys()
        let matching = known.filter { token.keyID == nil || ExactText.areEqual($0.id, token.keyID) }
        if !matching.isEmpty { return matching }
        guard now() - lastReading >= IdentityLimits.unknownKeySeconds else { throw Issuer.unknownKey }
        let fresh = try await read().filter { token.keyID == nil || ExactText.areEqual($0.id, token.keyID) }
        guard !fresh.isEmpty else { throw Issuer.unknownKey }
        return fresh
    }

    private static let unknownKey = IdentityError.refused(
        "The ID token is signed with a key that the issuer does not have.")

    private func currentKeys() async throws(IdentityError) -> [IssuerKey] {
        let now = now()
        if let keys, now - keys.time < IdentityLimits.keysSeconds { return keys.values }
        do throws(IdentityError) {
            return try await read()
        } catch {
            guard error.code == .unavailable, let keys, now - keys.time < IdentityLimits.staleKeysSecondsMax else {
                throw error
            }
            return keys.values
        }
    }

    private func read() async throws(IdentityError) -> [IssuerKey] {
        let task = reading ?? Task { try await self.readKeys() }
        reading = task
        do {
            let keys = try await task.value
            reading = nil
            return keys
        } catch {
            reading = nil
            throw error as? IdentityError ?? .unavailable(client.provider, "cannot be reached")
        }
    }

    private func readKeys() async throws -> [IssuerKey] {
        lastReading = now()
        let response = try await client.get(try await addresses().keysURL)
        guard response.status == 200, let list = response.body["keys"]?.arrayValue else {
            throw IdentityError.unavailable(client.provider, "sent no keys (status \(response.status))")
        }
        let values = list.prefix(IdentityLimits.keysMax).compactMap { IssuerKey($0) }
        keys = (values, now())
        return values
    }
}
