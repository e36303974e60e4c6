//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The details that a person sees of another user, and the user's e-mail address.
struct UserProfile: Equatable, Sendable {
    /// The user's name as people write it; `nil` when it is unknown.
    var displayName: String?
    /// The URL of the user's picture; `nil` when it is unknown.
    var picture: String?
    /// The e-mail address; `nil` when it is unknown.
    var email: String?
    /// Whether the address was verified, by this server or by a provider.
    var isEmailVerified = false
    /// The name of the provider that reported the address; `nil` when this server verified it.
    var emailProvider: String?

    init() {}

    /// Reads the members of an account's document.
    init(_ members: JSONObject) {
        displayName = members["display_name"]?.stringValue
        picture = members["picture"]?.stringValue
        email = members["email"]?.stringValue
        isEmailVerified = members["email_verified"] == true
        emailProvider = members["email_provider"]?.stringValue
    }

    /// Returns the form of an address by which accounts are found. The form has only lower case, because mail servers
    /// do not distinguish upper and lower case in the domain of an address. In practice, they do not distinguish it in
    /// the part before the domain either.
    static func key(of email: String) -> String { email.lowercasedASCII }

    /// Updates the profile with the profile that a provider reported. Members that the provider does not report keep
    /// their values.
    ///
    /// The provider's address is stored in two cases: the account has no address, or its address came from the same
    /// provider.
    ///
    /// - Parameter isFree: Whether no other account has verified the provider's address. If another account has
    ///   verified it, this account stores the address as not verified.
    mutating func update(from identity: Identity, of provider: String, addressIsFree isFree: Bool) {
        displayName = identity.name ?? displayName
        picture = identity.picture ?? picture
        guard let new = identity.email, email == nil || ExactText.areEqual(emailProvider, provider) else { return }
        (email, isEmailVerified, emailProvider) = (new, identity.isEmailVerified && isFree, provider)
    }

    /// Whether the account has verified an address. Upper and lower case are not distinguished.
    func hasVerified(_ address: String) -> Bool {
        isEmailVerified
            && email.map { UserProfile.key(of: $0).utf8.elementsEqual(UserProfile.key(of: address).utf8) } ?? false
    }

    /// Removes the address if the given provider reported it. Call this method when the provider is unlinked from the
    /// account, so that a later login with the provider does not find the account by this address.
    mutating func removeEmail(of provider: String) {
        guard ExactText.areEqual(emailProvider, provider) else { return }
        (email, isEmailVerified, emailProvider) = (nil, false, nil)
    }

    /// Writes the profile to a document's members.
    func write(to members: inout JSONObject) {
        members["display_name"] = displayName.map { .string($0) }
        members["picture"] = picture.map { .string($0) }
        members["email"] = email.map { .string($0) }
        // The member `email_key` is only written for a verified address, because an account must not be found by
        // another address.
        members["email_key"] = isEmailVerified ? email.map { .string(UserProfile.key(of: $0)) } : nil
        members["email_verified"] = email == nil ? nil : .bool(isEmailVerified)
        members["email_provider"] = emailProvider.map { .string($0) }
    }

    /// The members that the user sees.
    var json: JSONObject {
        var object = JSONObject()
        write(to: &object)
        object["email_key"] = nil
        object["email_provider"] = nil
        return object
    }
}
