//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitJSON
import GodwitServer
import GodwitStore

// A device that is logged in has a token to come back with, which is another one each time ("rotation"): whoever copied
// one is found out when both use it, and the device is logged out. The answer with the new token may be lost, so that the
// one before it is taken once more for a short while. Only digests are kept.

/// The devices on which a user is logged in, as a local document of the database of users: it is replicated nowhere.
struct DeviceList: Equatable, Sendable {
    /// A device.
    struct Device: Equatable, Sendable {
        let id: String
        var name: String
        var version: String?
        let since: Int64
        /// When it last came back, in seconds since 1970.
        var used: Int64
        /// The digest of the token that it comes back with.
        fileprivate(set) var digest: [UInt8]
        /// The digest of the one before, for a while.
        fileprivate(set) var formerDigest: [UInt8]
    }

    /// What became of a token.
    enum Outcome: Equatable, Sendable {
        /// It was right; this is the next one.
        case renewed(Device, secret: String)
        /// It was used twice: the device is logged out.
        case stolen
        case unknown
    }

    private(set) var devices: [Device]

    /// The id of a user's list after `_local/`.
    static func id(of user: String) -> String { "devices:\(user)" }

    /// Logs a device in.
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

    /// Takes the token of a device that comes back, for the next one.
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

    /// Logs a device out.
    ///
    /// - Returns: Whether it was there.
    mutating func remove(_ id: String) -> Bool {
        let count = devices.count
        devices.removeAll { $0.id == id }
        return devices.count < count
    }

    /// Whether a secret is the token of a device now.
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
    /// Reads a local document; nothing and anything else is an empty list.
    init(_ body: [UInt8]?) {
        let list = body.flatMap { try? JSONValue(parsing: $0) }?["devices"]?.arrayValue ?? []
        devices = list.compactMap { Device($0) }
    }

    /// The local document.
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

    /// What a user sees of it.
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
