//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The details of a device in the list of a user's devices.
public struct AppDevice: Equatable, Sendable {
    /// The name that the user sees, for example `Ann's phone`.
    public var name: String
    /// The kind of device, for example `iOS`; `nil` if it is unknown.
    public var platform: String?
    /// The model, for example `iPhone15,2`; `nil` if it is unknown.
    public var model: String?
    /// The version of the operating system; `nil` if it is unknown.
    public var system: String?

    /// Creates a description.
    public init(name: String = "", platform: String? = nil, model: String? = nil, system: String? = nil) {
        (self.name, self.platform, self.model, self.system) = (name, platform, model, system)
    }

    /// Returns the value of the member `device` in the request of a login.
    ///
    /// - Parameter id: The device's id, which stays the same for all its logins.
    func json(_ id: String) -> JSONValue {
        var object: JSONObject = ["id": .string(id), "name": .string(name)]
        for (member, text) in [("platform", platform), ("model", model), ("system", system)] {
            if let text { object[member] = .string(text) }
        }
        return .object(object)
    }
}
