//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The versions of an app that the server serves.
///
/// Versions are compared number by number: 1.10 is after 1.9, and 1.2 equals 1.2.0. A part that is no number counts as
/// 0.
public struct AppVersions: Sendable, Equatable {
    /// The first version that is served; `nil` for all.
    public var first: String?
    /// The versions that are not served.
    public var blocked: Set<String>
    /// Whether requests without a version are refused. Otherwise they are served, for instance those with a user's key.
    public var areRequired: Bool

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
        let numbers = AppVersions.numbers(version)
        guard !blocked.contains(where: { AppVersions.numbers($0) == numbers }) else { return false }
        guard let first else { return true }
        return !numbers.lexicographicallyPrecedes(AppVersions.numbers(first))
    }

    private static func numbers(_ version: String) -> [Int] {
        var numbers = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        while numbers.last == 0 { numbers.removeLast() }
        return numbers
    }
}
