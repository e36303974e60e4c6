//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The properties of a manager's directory on the system of a phone.
///
/// ```swift
/// var options = DirectoryOptions()
/// options.isShared = true
/// let manager = try DatastoreManager(directory: container, options: options)
/// ```
public struct DirectoryOptions: Sendable {
    /// When the files of the directory can be read, on Apple's systems.
    public enum Protection: Sendable, CaseIterable {
        /// While the device is unlocked.
        case complete
        /// While the device is unlocked, or as long as a file stays open.
        case completeUnlessOpen
        /// After the device has been unlocked for the first time since its start. A replication in the background needs
        /// this protection or a lower one.
        case completeUntilFirstUserAuthentication
        /// Always.
        case none
    }

    /// Whether other processes may read the directory with ``DatastoreManager/init(reading:limits:)`` while the manager
    /// has it open. Each open database then has a second file, which the processes share. The directory and its
    /// databases cannot have a key of Godwit's; ``protection`` encrypts them by the system.
    public var isShared = false

    /// The protection of the directory and of its present and later files; `nil` for the app's. Other systems than
    /// Apple's ignore it.
    public var protection: Protection?

    /// Whether the directory is left out of the backups of the device; `nil` for the directory's present state. Other
    /// systems than Apple's ignore it.
    public var isExcludedFromBackup: Bool?

    /// Creates options that leave a directory as it is, and do not share it.
    public init() {}

    /// Applies the properties to a directory.
    func apply(to directory: String) throws(StoreError) {
        do {
            if let protection { try DirectoryAttributes.protect(directory, protection.level) }
            if let isExcludedFromBackup { try DirectoryAttributes.exclude(directory, isExcludedFromBackup) }
        } catch {
            throw StoreError(
                .storage,
                "the protection of \(directory) or its exclusion from backups cannot be set. Check that the directory is "
                    + "the app's.",
                cause: error)
        }
    }
}

extension DirectoryOptions.Protection {
    fileprivate var level: DirectoryAttributes.Protection {
        switch self {
        case .complete: .complete
        case .completeUnlessOpen: .completeUnlessOpen
        case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
        case .none: .none
        }
    }
}
