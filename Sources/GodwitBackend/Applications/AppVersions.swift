//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Which versions of an app are served.
///
/// Versions are compared number by number: 1.10 is after 1.9, and 1.2 is the same as 1.2.0. What is no number counts as 0.
public struct AppVersions: Sendable, Equatable {
    /// The first version that is served; `nil` for all.
    public var first: String?
    /// Versions that are not.
    public var blocked: Set<String>
    /// Whether a request must say its version. An app that is told nothing by its users' keys is let in otherwise.
    public var areRequired: Bool

    /// Creates rules; all versions are served unless it is said.
    public init(first: String? = nil, blocked: Set<String> = [], areRequired: Bool = false) {
        self.first = first
        self.blocked = blocked
        self.areRequired = areRequired
    }

    /// Whether a version matches these rules: it is served.
    ///
    /// - Parameter version: The version; `nil` when the app did not say.
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
