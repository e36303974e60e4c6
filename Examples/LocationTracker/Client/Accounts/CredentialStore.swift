//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Keeps who is logged in on this device, from one launch to the next.
///
/// `KeychainCredentialStore` is one for Apple's systems, ``FileCredentialStore`` one for all. Whoever can open the store is
/// logged in, also without a network: the user's own password is not kept, and nothing to guess it by.
public protocol CredentialStore: Sendable {
    /// Who is logged in; `nil` for nobody.
    ///
    /// - Throws: ``TrackerError``: ``TrackerError/Code/locked`` when it cannot be opened now,
    ///   ``TrackerError/Code/damaged``, ``TrackerError/Code/storage``.
    func load() async throws(TrackerError) -> TrackerAccount?

    /// Keeps an account in the place of the one before. It is on disk when the call returns.
    func save(_ account: TrackerAccount) async throws(TrackerError)

    /// Forgets who is logged in. Nothing happens when nobody is.
    func remove() async throws(TrackerError)
}
