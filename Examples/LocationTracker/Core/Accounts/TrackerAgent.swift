//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitTransport

/// The `User-Agent` header of the app's requests.
public struct TrackerAgent: Sendable {
    /// The header's value, for example `Location Tracker/0.1.0 (Godwit; Linux)`.
    public let text: String

    /// The version of this example.
    public static let versionUsual = "0.1.0"

    /// Creates the header's value.
    ///
    /// - Parameter version: The app's version.
    public init(version: String = versionUsual) {
        text = "Location Tracker/\(version) (Godwit; \(TrackerAgent.system))"
    }

    /// An interceptor that sets the header in each request of a replication.
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
