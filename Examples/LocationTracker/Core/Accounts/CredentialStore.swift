//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Stores the account of the user who is logged in on this device.
///
/// `KeychainCredentialStore` is an implementation for Apple's systems. ``FileCredentialStore`` is an implementation for
/// all systems. A user whose account is in the store is logged in, even without a network. The store contains neither
/// the user's password nor data from which the password could be guessed.
public protocol CredentialStore: Sendable {
    /// Returns the account of the user who is logged in; `nil` when no user is logged in.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/locked`` when the store cannot be opened now,
    ///   ``TrackerError/Code/inUse`` while another process uses the key, ``TrackerError/Code/damaged`` or
    ///   ``TrackerError/Code/storage``.
    func load() async throws(TrackerError) -> TrackerAccount?

    /// Stores an account. If an account is stored already, it is replaced. When the call returns, the account is on
    /// disk.
    ///
    /// - Throws: ``TrackerError`` with the codes of ``load()``.
    func save(_ account: TrackerAccount) async throws(TrackerError)

    /// Removes the account. Does nothing when no user is logged in.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/locked`` or ``TrackerError/Code/storage``.
    func remove() async throws(TrackerError)
}
