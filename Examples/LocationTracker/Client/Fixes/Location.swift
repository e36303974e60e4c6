//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// A reading that was taken: a location.
public struct Location: Equatable, Sendable {
    /// The reading.
    public let fix: Fix
    /// Whether the app was in the background when it was taken.
    public let isInBackground: Bool

    /// Creates a location.
    public init(_ fix: Fix, isInBackground: Bool = false) {
        self.fix = fix
        self.isInBackground = isInBackground
    }

    /// The body of its document.
    ///
    /// - Parameters:
    ///   - username: Who was there.
    ///   - session: What the locations of one run of the app have in common.
    public func document(username: String, session: String) -> JSONObject {
        fix.document(username: username, session: session, isInBackground: isInBackground)
    }
}

extension Fix {
    /// The body of the document of a location, as the Location Tracker stores it: times are milliseconds since 1970.
    public func document(username: String, session: String, isInBackground: Bool = false) -> JSONObject {
        [
            "type": "Feature", "created_at": .integer(timeMilliseconds),
            "geometry": ["type": "Point", "coordinates": [.double(longitude), .double(latitude)]],
            "properties": [
                "username": .string(username), "session_id": .string(session),
                "timestamp": .integer(timeMilliseconds), "background": .bool(isInBackground),
            ],
        ]
    }
}
