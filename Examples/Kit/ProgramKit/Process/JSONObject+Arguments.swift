//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
public import GodwitJSON

extension JSONObject {
    /// Returns a member of the arguments of an action.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `input` if the member is missing or is not a text.
    public func text(_ member: String) throws(DeviceError) -> String {
        guard let text = self[member]?.stringValue else {
            throw DeviceError(.input, "The action needs \(member), a text.")
        }
        return text
    }
}
