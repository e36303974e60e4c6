//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The clients of applications' providers. A client has the provider's keys in memory, and is created again when the
/// provider's settings change.
final class ProviderClients: Sendable {
    /// Creates the client of a provider.
    typealias Make = @Sendable (ProviderSettings) -> any IdentityProvider

    private struct Key: Hashable {
        let application: String
        let provider: String
    }

    private let make: Make
    private let clients = Mutex<[Key: (settings: ProviderSettings, client: any IdentityProvider)]>([:])

    init(_ make: @escaping Make) { self.make = make }

    /// Returns the client of an application's provider.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/providerNotFound`` when the application has no such
    ///   provider.
    func client(_ provider: String, of application: Application) throws(AccountError) -> any IdentityProvider {
        guard let settings = application.providers[provider]?.settings else {
            throw AccountError(.providerNotFound, "This application has no provider of this name.")
        }
        let key = Key(application: application.id, provider: provider)
        return clients.withLock { clients in
            if let known = clients[key], known.settings == settings { return known.client }
            let client = make(settings)
            clients[key] = (settings, client)
            return client
        }
    }
}
