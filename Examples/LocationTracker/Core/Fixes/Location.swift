//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
public import GodwitJSON

/// A fix that the filter accepted.
public struct Location: Equatable, Sendable {
    /// The fix.
    public let fix: Fix
    /// Whether the app was in the background at the time of the fix.
    public let isInBackground: Bool

    /// Creates a location.
    public init(_ fix: Fix, isInBackground: Bool = false) {
        self.fix = fix
        self.isInBackground = isInBackground
    }

    /// Returns the body of the location's document.
    ///
    /// - Parameters:
    ///   - username: The name of the user.
    ///   - session: A text that identifies one run of the app.
    public func document(username: String, session: String) -> JSONObject {
        fix.document(username: username, session: session, isInBackground: isInBackground)
    }
}

extension Fix {
    /// Returns the body of the document of a location, in the format of the Location Tracker: times are milliseconds
    /// since 1970.
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
