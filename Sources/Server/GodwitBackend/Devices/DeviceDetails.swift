//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The details of a device that the app reports at a login.
public struct DeviceDetails: Equatable, Sendable {
    /// The id that the app chose for this device: letters, digits, `-` and `_`. The id stays the same for all logins of
    /// the device. If it is `nil`, the server chooses an id for each login.
    public var id: String?
    /// The name that the user sees, for example `Ann's phone`.
    public var name: String
    /// The kind of device, for example `iOS`; `nil` when it is unknown.
    public var platform: String?
    /// The model, for example `iPhone15,2`; `nil` when it is unknown.
    public var model: String?
    /// The version of the operating system; `nil` when it is unknown.
    public var system: String?

    /// Creates details.
    public init(
        id: String? = nil, name: String = "", platform: String? = nil, model: String? = nil, system: String? = nil
    ) {
        (self.id, self.name, self.platform, self.model, self.system) = (id, name, platform, model, system)
    }

    /// Checks the lengths of the details, and the characters of the id.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidDevice``.
    func check() throws(AccountError) {
        if let id {
            let isPlain = id.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
            guard isPlain, (1...BackendLimits.deviceIDBytesMax).contains(id.utf8.count) else {
                throw AccountError(
                    .invalidDevice,
                    "The id of a device has 1 to \(BackendLimits.deviceIDBytesMax) letters, digits, - and _.")
            }
        }
        for text in [name, platform, model, system].compactMap(\.self)
        where text.utf8.count > BackendLimits.deviceTextBytesMax {
            throw AccountError(
                .invalidDevice,
                "A detail of a device may have at most \(BackendLimits.deviceTextBytesMax) bytes.")
        }
    }
}
