//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitJSON

/// A way to log in that the server itself defines: with the name of a member and a number. It shows how an application
/// adds a login that is neither a password nor a known provider.
struct StudioRealm: LoginRealm {
    /// The name of the realm.
    static let name = "studio"

    /// The number of each member. The key is the name as bytes, so that only the exact name logs in.
    private let numbers: [[UInt8]: String]

    /// Creates a realm.
    ///
    /// - Parameter members: `NAME:NUMBER` of each member, separated by commas.
    /// - Returns: `nil` if there is no member, or if a member has no name or no number.
    init?(_ members: String) {
        var numbers: [[UInt8]: String] = [:]
        for member in members.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = member.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, !parts[1].isEmpty else { return nil }
            numbers[Array(parts[0])] = String(decoding: parts[1], as: UTF8.self)
        }
        guard !numbers.isEmpty else { return nil }
        self.numbers = numbers
    }

    /// See ``GodwitBackend/LoginRealm/step(after:state:)``.
    func step(after answer: JSONObject?, state: JSONObject) async throws -> RealmStep {
        let name = answer?["name"]?.stringValue ?? ""
        guard answer != nil else { return .challenge(Self.question(error: nil), state: [:]) }
        guard let number = numbers[Array(name.utf8)],
            answer?["pin"]?.stringValue?.utf8.elementsEqual(number.utf8) == true
        else {
            return .wrongAnswer(of: name, Self.question(error: "Invalid login credentials"), state: [:])
        }
        return .success(Identity(subject: name))
    }

    private static func question(error: String?) -> JSONObject {
        [
            "authRequired": true, "errorMessage": error.map { .string($0) } ?? .null,
            "fields": [
                ["name": "name", "title": "Name", "isSecret": false],
                ["name": "pin", "title": "Number", "isSecret": true],
            ],
        ]
    }
}
