//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitJSON
import GodwitServer
import GodwitStore

// A device that is logged in has a refresh token, which each use replaces ("rotation"). If a token was copied, its
// second use is detected and logs the device out. The response with the new token may be lost. Therefore the previous
// token is accepted again for a short time. Only digests of the tokens are stored.

/// The devices on which a user is logged in, stored as a local document of the database of users, which is never
/// replicated.
struct DeviceList: Equatable, Sendable {
    /// A device that is logged in.
    struct Device: Equatable, Sendable {
        let id: String
        var name: String
        var version: String?
        let since: Int64
        /// The time of its last refresh, in seconds since 1970.
        var used: Int64
        /// The digest of its current refresh token.
        fileprivate(set) var digest: [UInt8]
        /// The digest of its previous refresh token; empty for a new device.
        fileprivate(set) var formerDigest: [UInt8]
    }

    /// The result of using a refresh token.
    enum Outcome: Equatable, Sendable {
        /// The token was valid. The secret belongs to the next one.
        case renewed(Device, secret: String)
        /// The token was used before: the device is logged out.
        case stolen
        case unknown
    }

    private(set) var devices: [Device]

    /// Returns the id of a user's list, without `_local/`.
    static func id(of user: String) -> String { "devices:\(user)" }

    /// Adds a device. Removes the devices that were not used for too long, and the least recently used one if the list
    /// is full.
    ///
    /// - Returns: The device, and the secret of its token.
    mutating func add(_ name: String, version: String?, now: Int64) -> (device: Device, secret: String) {
        removeOld(now: now)
        if devices.count >= BackendLimits.devicesMax,
            let oldest = devices.indices.min(by: { devices[$0].used < devices[$1].used })
        {
            devices.remove(at: oldest)
        }
        let secret = DeviceList.secret()
        let device = Device(
            id: String(DocumentID.random().prefix(16)), name: name, version: version, since: now, used: now,
            digest: DeviceList.digest(secret), formerDigest: [])
        devices.append(device)
        return (device, secret)
    }

    /// Replaces the refresh token of a device.
    mutating func renew(_ id: String, secret: String, version: String?, now: Int64) -> Outcome {
        removeOld(now: now)
        guard let position = devices.firstIndex(where: { $0.id == id }) else { return .unknown }
        let digest = DeviceList.digest(secret)
        if constantTimeEqual(devices[position].digest, digest) {
            devices[position].formerDigest = digest
        } else if constantTimeEqual(devices[position].formerDigest, digest) {
            guard now - devices[position].used <= Int64(BackendLimits.refreshGraceSeconds) else {
                devices.remove(at: position)
                return .stolen
            }
        } else {
            return .unknown
        }
        let next = DeviceList.secret()
        devices[position].digest = DeviceList.digest(next)
        devices[position].used = now
        if let version { devices[position].version = version }
        return .renewed(devices[position], secret: next)
    }

    /// Removes a device.
    ///
    /// - Returns: Whether the device was in the list.
    mutating func remove(_ id: String) -> Bool {
        let count = devices.count
        devices.removeAll { $0.id == id }
        return devices.count < count
    }

    /// Whether a secret is that of a device's current token.
    func holds(_ id: String, secret: String) -> Bool {
        let digest = DeviceList.digest(secret)
        return devices.contains { $0.id == id && constantTimeEqual($0.digest, digest) }
    }

    mutating func removeAll() { devices = [] }

    private mutating func removeOld(now: Int64) {
        devices.removeAll { now - $0.used > Int64(BackendLimits.refreshSecondsMax) }
    }

    private static func secret() -> String {
        Base64URL.encode(.random(count: 32))
    }

    /// The secret is random: one round is enough.
    private static func digest(_ secret: String) -> [UInt8] { MessageDigest.Algorithm.sha256.digest(of: secret.utf8) }
}

extension DeviceList {
    /// Parses a local document. An invalid or missing one is an empty list.
    init(_ body: [UInt8]?) {
        let list = body.flatMap { try? JSONValue(parsing: $0) }?["devices"]?.arrayValue ?? []
        devices = list.compactMap { Device($0) }
    }

    /// The body of the local document.
    var bytes: [UInt8] { (["devices": .array(devices.map(\.stored))] as JSONValue).jsonBytes() }
}

extension DeviceList.Device {
    fileprivate init?(_ value: JSONValue) {
        guard let id = value["id"]?.stringValue, let name = value["name"]?.stringValue,
            let since = value["since"]?.intValue, let used = value["used"]?.intValue,
            let digest = value["digest"]?.stringValue.flatMap({ [UInt8](hexadecimal: $0.utf8) })
        else { return nil }
        self.init(
            id: id, name: name, version: value["version"]?.stringValue, since: Int64(since), used: Int64(used),
            digest: digest,
            formerDigest: value["former_digest"]?.stringValue.flatMap { [UInt8](hexadecimal: $0.utf8) } ?? [])
    }

    /// The members that the user sees.
    var json: JSONObject {
        var object: JSONObject = ["id": .string(id), "name": .string(name), "since": .integer(since)]
        object["used"] = .integer(used)
        if let version { object["version"] = .string(version) }
        return object
    }

    fileprivate var stored: JSONValue {
        var object = json
        object["digest"] = .string(digest.hexadecimal)
        object["former_digest"] = .string(formerDigest.hexadecimal)
        return .object(object)
    }
}
