//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Stores the account of the user who is logged in on this device.
///
/// `KeychainCredentialStore` is an implementation for Apple's systems, ``FileCredentialStore`` one for all systems.
/// Access to the store is enough to be logged in, even without a network. The store contains neither the user's
/// password nor data from which it could be guessed.
public protocol CredentialStore: Sendable {
    /// Returns the account of the user who is logged in; `nil` when no user is logged in.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/locked`` when the store cannot be opened now,
    ///   ``TrackerError/Code/inUse`` while another process uses the key, ``TrackerError/Code/damaged`` or
    ///   ``TrackerError/Code/storage``.
    func load() async throws(TrackerError) -> TrackerAccount?

    /// Stores an account and replaces the previous one. The account is on disk when the call returns.
    ///
    /// - Throws: ``TrackerError`` with the codes of ``load()``.
    func save(_ account: TrackerAccount) async throws(TrackerError)

    /// Removes the account. Does nothing when no user is logged in.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/locked`` or ``TrackerError/Code/storage``.
    func remove() async throws(TrackerError)
}
