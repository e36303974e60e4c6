//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// A provider with which users of an application log in.
public struct ApplicationProvider: Equatable, Sendable {
    /// The provider's settings.
    public var settings: ProviderSettings
    /// The claim that lists a user's groups; `nil` when the provider gives no roles.
    public var rolesClaim: String?
    /// The roles in the application, keyed by the values of ``rolesClaim``. A value that is not a key gives no role.
    public var roles: [String: String] = [:]

    /// The domains of the e-mail addresses by which the provider's identities are linked to existing accounts. If the
    /// address of an identity has one of these domains, the identity is linked to the account that has verified the
    /// same address. If the list is `nil`, identities are linked by addresses of all domains. If the list is empty,
    /// identities are not linked by their addresses.
    ///
    /// The addresses of other domains count as not verified: otherwise, an account of this provider could own the
    /// address of a person who later logs in with another provider.
    public var linkedDomains: [String]?

    /// Creates a provider that gives no roles.
    public init(_ settings: ProviderSettings) { self.settings = settings }

    /// Whether the provider is trusted to verify an address: such an address links to an account with the same address.
    func isTrusted(for email: String) -> Bool {
        guard let linkedDomains else { return true }
        guard let separator = email.utf8.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let domain = email[email.utf8.index(after: separator)...].lowercasedASCII
        return linkedDomains.contains { $0.isIdenticalText(to: domain) }
    }

    /// Returns a copy of an identity that contains only the values which the server uses. Values that are too long are
    /// left out. An address for which the provider is not trusted is not verified.
    func limited(_ identity: Identity) -> Identity {
        var limited = identity
        let claim = rolesClaim.flatMap { identity.claims[$0] }
        limited.claims = [:]
        if let rolesClaim, let claim, claim.jsonBytes().count <= BackendLimits.rolesClaimBytesMax {
            limited.claims[rolesClaim] = claim
        }
        if identity.name?.utf8.count ?? 0 > BackendLimits.displayNameBytesMax { limited.name = nil }
        if identity.picture?.utf8.count ?? 0 > BackendLimits.pictureBytesMax { limited.picture = nil }
        if let email = identity.email, MailAddress(email) == nil {
            (limited.email, limited.isEmailVerified) = (nil, false)
        }
        if let email = limited.email, !isTrusted(for: email) { limited.isEmailVerified = false }
        return limited
    }

    /// Returns the roles that an identity gives.
    func roles(of identity: Identity) -> [String] {
        guard let rolesClaim, let value = identity.claims[rolesClaim] else { return [] }
        let groups = value.stringValue.map { [$0] } ?? value.arrayValue?.compactMap(\.stringValue) ?? []
        let given = groups.compactMap { group in
            roles.first { $0.key.isIdenticalText(to: group) }.map { ExactText($0.value) }
        }
        return Set(given).sorted().map(\.text)
    }
}

extension ApplicationProvider {
    /// Parses a provider of a declaration.
    ///
    /// - Parameter name: The provider's name in the application. It is also the provider's kind if the declaration
    ///   contains no kind.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidApplication``.
    init(_ value: JSONValue, _ name: String) throws(AccountError) {
        let members = try Members(
            value, "providers.\(name)",
            known: [
                "kind", "display_name", "client_id", "other_client_ids", "client_secret", "issuer", "api_url", "scopes",
                "clock_skew_seconds", "team_id", "key_id", "private_key", "roles_claim", "roles", "linked_domains",
            ])
        let kindName = try members.text("kind") ?? name
        guard let kind = ProviderSettings.Kind(rawValue: kindName) else {
            let kinds = ProviderSettings.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidApplication("providers.\(name) has no kind: add one of \(kinds)")
        }
        guard let clientID = try members.text("client_id") ?? (kind == .custom ? "" : nil) else {
            throw .invalidApplication("providers.\(name) has no client_id")
        }
        guard var settings = ProviderSettings(kind, clientID: clientID, issuer: try members.text("issuer")) else {
            throw .invalidApplication("providers.\(name) has no issuer")
        }
        if let text = try members.text("display_name") { settings.displayName = text }
        if let ids = try members.texts("other_client_ids") { settings.otherClientIDs = ids }
        settings.clientSecret = try members.text("client_secret")
        if let url = try members.text("api_url") { settings.apiURL = url }
        if let scopes = try members.texts("scopes") { settings.scopes = scopes }
        if let seconds = try members.number("clock_skew_seconds", in: 0...BackendLimits.clockSkewSecondsMax) {
            settings.clockSkewSeconds = seconds
        }
        settings.signingKey = try ApplicationProvider.signingKey(members, name)
        self.init(settings)
        linkedDomains = try members.texts("linked_domains")?.map(\.lowercasedASCII)
        rolesClaim = try members.text("roles_claim")
        // These names mean an issuer for all tenants. Such an issuer is refused if it gives roles, because anyone can
        // create a tenant and choose the roles in it.
        let tenants = ["common", "organizations", "consumers"]
        if rolesClaim != nil, kind == .microsoft,
            // Exact: the tenants are ASCII.
            settings.issuer.pieces(at: "/").contains(where: { tenants.contains(String($0)) })
        {
            throw .invalidApplication("providers.\(name).roles_claim needs an issuer of one tenant")
        }
        if let map = try members.object("roles", known: nil) {
            for group in map.all.keys { roles[group] = try map.text(group) }
        }
    }

    private static func signingKey(
        _ members: Members, _ name: String
    ) throws(AccountError) -> ProviderSettings.SigningKey? {
        switch (try members.text("team_id"), try members.text("key_id"), try members.text("private_key")) {
        case (nil, nil, nil): return nil
        case (let team?, let id?, let pem?): return .init(team: team, id: id, pem: pem)
        default: throw .invalidApplication("providers.\(name) needs all of team_id, key_id and private_key")
        }
    }

    /// The provider as JSON, which ``init(_:_:)`` parses.
    var json: JSONObject {
        var object: JSONObject = [
            "kind": .string(settings.kind.rawValue), "display_name": .string(settings.displayName),
            "client_id": .string(settings.clientID), "issuer": .string(settings.issuer),
            "scopes": .array(settings.scopes.map { .string($0) }),
            "clock_skew_seconds": .integer(Int64(settings.clockSkewSeconds)),
        ]
        if !settings.otherClientIDs.isEmpty {
            object["other_client_ids"] = .array(settings.otherClientIDs.map { .string($0) })
        }
        if let secret = settings.clientSecret { object["client_secret"] = .string(secret) }
        if let url = settings.apiURL { object["api_url"] = .string(url) }
        if let key = settings.signingKey {
            object["team_id"] = .string(key.team)
            object["key_id"] = .string(key.id)
            object["private_key"] = .string(key.pem)
        }
        if let linkedDomains { object["linked_domains"] = .array(linkedDomains.map { .string($0) }) }
        if let rolesClaim { object["roles_claim"] = .string(rolesClaim) }
        if !roles.isEmpty {
            object["roles"] = .object(JSONObject(roles.sorted { $0.key < $1.key }.map { ($0, .string($1)) }))
        }
        return object
    }

    /// The names of the members that responses do not contain.
    static let secretMembers = ["client_secret", "private_key"]
}
