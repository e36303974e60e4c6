//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import GodwitStore

// A device that is logged in has a refresh token. Each use of the token replaces it by a new one ("rotation"). If a
// thief copies a token, both the thief and the device use it. The server detects the second use, and logs out the
// device. However, a device may also use a token twice because the response with the new token was lost. Therefore the
// previous token is accepted again for a short time. All tokens of a login begin with the same secret. Therefore the
// server recognizes an old token of the login even if several tokens have replaced it since then. Only digests of the
// tokens are stored.

/// The devices of a user. They are stored as a local document of the database of users. Local documents are never
/// replicated.
struct DeviceList: Equatable, Sendable {
    /// The result of using a refresh token.
    enum Outcome: Equatable, Sendable {
        /// The token was valid. The value contains the secret of the next token.
        case renewed(Device, secret: String)
        /// The token was already used before. The device has been logged out.
        case stolen
        /// The token is that of a blocked or lost device.
        case refused(AccountError)
        case unknown
    }

    private(set) var devices: [Device]

    /// Returns the id of a user's list, without `_local/`.
    static func id(of user: String) -> String { "devices:\(user)" }

    /// Begins a session on a device. If the list already has a device with the same id, that device gets the new
    /// session. Active devices are removed if their last use is too long ago. If the device is new and the list is
    /// full, another device is removed: the least recently used active device or, if no device is active, the least
    /// recently used device.
    ///
    /// - Parameter keyHash: The device may get an API key, which consists of a name and a password. This is the hash of
    ///   that password; `nil` if the device gets no API key.
    /// - Returns: The device, and the secret of its token.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/deviceBlocked`` or ``AccountError/Code/deviceLost``.
    mutating func logIn(
        _ details: DeviceDetails, version: String?, keyHash: PasswordHash? = nil, now: Int64
    ) throws(AccountError) -> (device: Device, secret: String) {
        removeOld(now: now)
        let id = details.id ?? String(DocumentID.random().prefix(16))
        let position = devices.firstIndex { $0.id.isIdenticalText(to: id) }
        if let position, let error = AccountError(devices[position].state) { throw error }
        let loginSecret = Base64URL.encode(.random(count: DeviceList.loginSecretBytes))
        let secret = DeviceList.secret(loginSecret)
        var details = details
        details.id = id
        var device = Device(
            id: id, details: details, version: version, since: position.map { devices[$0].since } ?? now, used: now)
        (device.digest, device.loginDigest) = (DeviceList.digest(secret), DeviceList.digest(loginSecret))
        (device.loginID, device.rotated) = (DocumentID.random(), now)
        device.keyHash = keyHash
        if let position {
            devices[position] = device
        } else {
            makeRoom()
            devices.append(device)
        }
        return (device, secret)
    }

    /// Replaces the refresh token of a device.
    mutating func renew(_ id: String, secret: String, version: String?, now: Int64) -> Outcome {
        removeOld(now: now)
        guard let position = devices.firstIndex(where: { $0.id.isIdenticalText(to: id) }) else { return .unknown }
        let (device, digest) = (devices[position], DeviceList.digest(secret))
        let isCurrent = constantTimeEqual(device.digest, digest)
        let isFormer = constantTimeEqual(device.formerDigest, digest)
        let loginSecret = DeviceList.loginSecret(of: secret)
        guard isCurrent || isFormer || constantTimeEqual(device.loginDigest, DeviceList.digest(loginSecret)) else {
            return .unknown
        }
        if let error = AccountError(device.state) { return .refused(error) }
        if isCurrent {
            devices[position].formerDigest = digest
            devices[position].rotated = now
        } else if !isFormer || now.subtractingSaturated(device.rotated) > Int64(BackendLimits.refreshGraceSeconds) {
            devices.remove(at: position)
            return .stolen
        }
        let next = DeviceList.secret(loginSecret)
        devices[position].digest = DeviceList.digest(next)
        devices[position].used = now
        if let version { devices[position].version = version }
        return .renewed(devices[position], secret: next)
    }

    /// Logs a device out, and removes the device from the list. A blocked, lost or wiped device remains in the list.
    ///
    /// - Returns: Whether an active device was removed.
    mutating func logOut(_ id: String) -> Bool {
        let count = devices.count
        devices.removeAll { $0.id.isIdenticalText(to: id) && $0.state == .active }
        return devices.count < count
    }

    /// Logs all devices out. Blocked, lost and wiped devices remain in the list.
    mutating func logOutAll() { devices.removeAll { $0.state == .active } }

    /// Changes the state of a device. If a blocked or lost device becomes active again, its session is valid again.
    ///
    /// - Parameter byUser: `true` if the user makes the change; `false` if an administrator makes it. A user may
    ///   neither block a device nor change a blocked device.
    /// - Returns: Whether the device is in the list.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notAllowed``.
    mutating func setState(of id: String, to state: Device.State, byUser: Bool = false) throws(AccountError) -> Bool {
        guard let position = devices.firstIndex(where: { $0.id.isIdenticalText(to: id) }) else { return false }
        guard !byUser || state != .blocked && devices[position].state != .blocked else {
            throw .notAllowed("Only administrators of the server block devices and unblock them.")
        }
        devices[position].state = state
        if state == .wiped {
            (devices[position].digest, devices[position].formerDigest, devices[position].keyHash) = ([], [], nil)
            (devices[position].loginDigest, devices[position].loginID) = ([], "")
        }
        return true
    }

    /// Returns the device whose current token contains a secret; `nil` when the secret is wrong, or no device has this
    /// id.
    func device(_ id: String, holding secret: String) -> Device? {
        let digest = DeviceList.digest(secret)
        return devices.first { $0.id.isIdenticalText(to: id) && constantTimeEqual($0.digest, digest) }
    }

    /// Returns the device with an id, if a token's secret belongs to the device's current login; otherwise `nil`. A
    /// token that has been replaced is also accepted.
    func device(_ id: String, ofLogin secret: String) -> Device? {
        let digest = DeviceList.digest(DeviceList.loginSecret(of: secret))
        return devices.first { $0.id.isIdenticalText(to: id) && constantTimeEqual($0.loginDigest, digest) }
            ?? device(id, holding: secret)
    }

    /// Returns the device with an id; `nil` when the list has none.
    func device(_ id: String) -> Device? { devices.first { $0.id.isIdenticalText(to: id) } }

    /// If the list is full, removes the least recently used active device. If no device is active, removes the least
    /// recently used device.
    private mutating func makeRoom() {
        guard devices.count >= BackendLimits.devicesMax else { return }
        let active = devices.indices.filter { devices[$0].state == .active }
        let oldest = (active.isEmpty ? Array(devices.indices) : active).min { devices[$0].used < devices[$1].used }
        if let oldest { devices.remove(at: oldest) }
    }

    private mutating func removeOld(now: Int64) {
        devices.removeAll {
            $0.state == .active && now.subtractingSaturated($0.used) > Int64(BackendLimits.refreshSecondsMax)
        }
    }

    private static let loginSecretBytes = 16

    /// Returns the secret of a new token.
    private static func secret(_ loginSecret: String) -> String {
        loginSecret + Base64URL.encode(.random(count: 32))
    }

    /// Returns the secret with which all tokens of a login begin.
    private static func loginSecret(of secret: String) -> String {
        // Base64URL has four characters for three bytes.
        String(secret.prefix((loginSecretBytes * 4 + 2) / 3))
    }

    /// Returns the digest of a secret. One round of hashing is sufficient, because secrets are random and cannot be
    /// guessed.
    private static func digest(_ secret: String) -> [UInt8] { MessageDigest.Algorithm.sha256.digest(of: secret.utf8) }
}

extension DeviceList: LocalState {
    init(_ body: [UInt8]?) {
        let list = body.flatMap { try? JSONValue(parsing: $0) }?["devices"]?.arrayValue ?? []
        devices = list.compactMap { Device($0) }
    }

    var bytes: [UInt8] { (["devices": .array(devices.map(\.stored))] as JSONValue).jsonBytes() }
}

extension AccountError {
    /// Creates the error with which a device is refused because of its state. The result is `nil` for an active device,
    /// and for a wiped device, because a wiped device may log in again.
    init?(_ state: Device.State) {
        switch state {
        case .active, .wiped: return nil
        case .blocked: self.init(.deviceBlocked, "This device is blocked.")
        case .lost: self = .deviceLost
        }
    }

    static let deviceLost = AccountError(
        .deviceLost, "This device was reported lost. Delete the app's data on it.")
}
