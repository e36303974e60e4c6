//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient

/// What names the app to a server: the header `User-Agent`.
public struct TrackerAgent: Sendable {
    /// The whole text, for example `Location Tracker/0.1.0 (Godwit; Linux)`.
    public let text: String

    /// The version of this example.
    public static let versionUsual = "0.1.0"

    /// Creates a name.
    ///
    /// - Parameter version: The app's version.
    public init(version: String = versionUsual) {
        text = "Location Tracker/\(version) (Godwit; \(TrackerAgent.system))"
    }

    /// Puts the name into each request of a replication.
    public var interceptor: RequestInterceptor {
        RequestInterceptor(onRequest: { [text] request in
            request.headers.removeAll { $0.name.lowercased() == "user-agent" }
            request.headers.append(("User-Agent", text))
        })
    }

    private static var system: String {
        #if os(iOS)
            "iOS"
        #elseif os(macOS)
            "macOS"
        #elseif os(Linux)
            "Linux"
        #else
            "other"
        #endif
    }
}
