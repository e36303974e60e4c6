//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The versions of an app that the server serves.
///
/// Versions are compared number by number: 1.10 is after 1.9, and 1.2 equals 1.2.0. A part that is not a number is
/// treated as 0.
public struct AppVersions: Sendable, Equatable {
    /// Versions before this version are not served. If it is `nil`, only the versions in ``blocked`` are not served.
    public var first: String?
    /// Further versions that are not served.
    public var blocked: Set<String>
    /// Whether requests that name no version are refused, for instance requests with a user's key.
    public var areRequired: Bool
    /// Further versions that are served with a warning.
    public var warned: Set<String> = []
    /// Versions before this version are served with a warning. If it is `nil`, only the versions in ``warned`` are
    /// served with a warning.
    public var firstWithoutWarning: String?
    /// The notice for versions that are not served.
    public var refusal = Notice("This version of the app is no longer supported. Install the current version.")
    /// The notice for versions that are served with a warning.
    public var warning = Notice(
        "This version of the app will soon not be supported any more. Install the current version.")

    /// A text that the app shows to the user.
    public struct Notice: Sendable, Equatable {
        /// The text.
        public var message: String
        /// The address at which the user gets the current version; `nil` for none.
        public var url: String?

        /// Creates a notice.
        public init(_ message: String, url: String? = nil) {
            self.message = message
            self.url = url
        }
    }

    /// Creates rules. By default, all versions are served.
    public init(first: String? = nil, blocked: Set<String> = [], areRequired: Bool = false) {
        self.first = first
        self.blocked = blocked
        self.areRequired = areRequired
    }

    /// Whether a version is served.
    ///
    /// - Parameter version: The version; `nil` when it is unknown.
    public func matches(_ version: String?) -> Bool {
        guard let version else { return !areRequired }
        return !AppVersions.isListed(version, blocked, first: first)
    }

    /// Returns the notice that the app shows to the user of a version that is served; `nil` if there is no notice for
    /// this version.
    public func warning(for version: String?) -> Notice? {
        guard let version, AppVersions.isListed(version, warned, first: firstWithoutWarning) else { return nil }
        return warning
    }

    /// Whether a version is equal to a version in a list, or precedes `first`.
    private static func isListed(_ version: String, _ list: Set<String>, first: String?) -> Bool {
        let numbers = numbers(version)
        if list.contains(where: { AppVersions.numbers($0) == numbers }) { return true }
        return first.map { numbers.lexicographicallyPrecedes(AppVersions.numbers($0)) } ?? false
    }

    private static func numbers(_ version: String) -> [Int] {
        var numbers = version.pieces(at: ".", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        while numbers.last == 0 { numbers.removeLast() }
        return numbers
    }
}
