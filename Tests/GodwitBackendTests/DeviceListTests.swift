//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitBackend

@Suite("Logged-in devices")
struct DeviceListTests {
    private func renewed(_ outcome: DeviceList.Outcome) throws -> String {
        guard case .renewed(_, let secret) = outcome else { throw Failure() }
        return secret
    }

    private struct Failure: Error {}

    @Test("A token is valid once, and once more for a short time")
    func rotation() throws {
        var list = DeviceList(nil)
        let (device, first) = try list.logIn(DeviceDetails(name: "phone"), version: nil, now: 100)
        let second = try renewed(list.renew(device.id, secret: first, version: nil, now: 110))
        _ = try renewed(list.renew(device.id, secret: first, version: nil, now: 120))
        // Another token was issued for the first one, so the second token is an older one now.
        #expect(list.renew(device.id, secret: second, version: nil, now: 130) == .stolen)
        #expect(list.devices.isEmpty)
    }

    @Test("A token that is used again later logs the device out")
    func theft() throws {
        var list = DeviceList(nil)
        let (device, first) = try list.logIn(DeviceDetails(name: "phone"), version: nil, now: 100)
        let second = try renewed(list.renew(device.id, secret: first, version: nil, now: 110))
        let later = 111 + Int64(BackendLimits.refreshGraceSeconds)
        #expect(list.renew(device.id, secret: first, version: nil, now: later) == .stolen)
        #expect(list.renew(device.id, secret: second, version: nil, now: later) == .unknown)
    }

    @Test("The owner's token is recognised after a thief has replaced it several times")
    func theftWithSeveralRenewals() throws {
        var list = DeviceList(nil)
        let (device, first) = try list.logIn(DeviceDetails(name: "phone"), version: nil, now: 100)
        var stolen = first
        for now in 110..<115 {
            stolen = try renewed(list.renew(device.id, secret: stolen, version: nil, now: Int64(now)))
        }
        #expect(list.renew(device.id, secret: first, version: nil, now: 115) == .stolen)
        #expect(list.renew(device.id, secret: stolen, version: nil, now: 116) == .unknown)
        // A lost device is ordered to delete the app's data even if its token is an older one.
        let (lost, old) = try list.logIn(DeviceDetails(name: "lost"), version: nil, now: 200)
        _ = try renewed(list.renew(lost.id, secret: old, version: nil, now: 210))
        _ = try list.setState(of: lost.id, to: .lost)
        guard case .refused(let error) = list.renew(lost.id, secret: old, version: nil, now: 300) else {
            throw Failure()
        }
        #expect(error.code == .deviceLost)
    }

    @Test("A wrong token changes nothing")
    func wrong() throws {
        var list = DeviceList(nil)
        let (device, first) = try list.logIn(DeviceDetails(name: "phone"), version: nil, now: 100)
        #expect(list.renew(device.id, secret: "x", version: nil, now: 110) == .unknown)
        #expect(list.renew("other", secret: first, version: nil, now: 110) == .unknown)
        _ = try renewed(list.renew(device.id, secret: first, version: nil, now: 110))
    }

    @Test("If there are too many devices, the least recently used one is removed, and those never used again")
    func limits() throws {
        var list = DeviceList(nil)
        let ids = try (0...BackendLimits.devicesMax).map { number in
            try list.logIn(DeviceDetails(name: "\(number)"), version: nil, now: Int64(number)).device.id
        }
        #expect(list.devices.map(\.id) == Array(ids.dropFirst()))
        _ = try list.logIn(
            DeviceDetails(name: "new"), version: nil, now: Int64(BackendLimits.refreshSecondsMax) + 1_000)
        #expect(list.devices.map(\.details.name) == ["new"])
    }

    @Test("A lost device is not removed for a new one, nor because it is not used")
    func lostRemains() throws {
        var list = DeviceList(nil)
        _ = try list.logIn(DeviceDetails(id: "lost"), version: nil, now: 0)
        let isKnown = try list.setState(of: "lost", to: .lost)
        #expect(isKnown)
        for number in 1...BackendLimits.devicesMax {
            _ = try list.logIn(DeviceDetails(), version: nil, now: Int64(number))
        }
        _ = try list.logIn(DeviceDetails(), version: nil, now: Int64(BackendLimits.refreshSecondsMax) * 2)
        #expect(list.device("lost")?.state == .lost)
    }

    @Test("A device keeps its entry over its logins, and is refused while it is blocked or lost")
    func states() throws {
        var list = DeviceList(nil)
        let details = DeviceDetails(id: "d", name: "phone", platform: "iOS", model: "iPhone15,2", system: "18.1")
        let (_, first) = try list.logIn(details, version: "1", now: 100)
        let (device, second) = try list.logIn(details, version: "2", now: 200)
        #expect(list.devices == [device] && device.since == 100 && device.used == 200 && device.version == "2")
        #expect(list.renew("d", secret: first, version: nil, now: 201) == .unknown)
        for (state, code) in [(Device.State.blocked, AccountError.Code.deviceBlocked), (.lost, .deviceLost)] {
            let isKnown = try list.setState(of: "d", to: state)
            guard isKnown, case .refused(let error) = list.renew("d", secret: second, version: nil, now: 202) else {
                throw Failure()
            }
            #expect(error.code == code)
            // A logout does not remove the state.
            let isLoggedOut = list.logOut("d")
            #expect(!isLoggedOut)
            list.logOutAll()
            var copy = list
            #expect(throws: AccountError.self) { try copy.logIn(details, version: nil, now: 203) }
        }
        let known = (try list.setState(of: "d", to: .wiped), try list.setState(of: "other", to: .lost))
        #expect(known == (true, false))
        #expect(list.renew("d", secret: second, version: nil, now: 204) == .unknown)
        _ = try list.logIn(details, version: nil, now: 205)
        #expect(list.device("d")?.state == .active)
    }

    @Test("Details of a device are checked", arguments: ["", "a b", "a.b", String(repeating: "x", count: 65), "é"])
    func details(_ id: String) {
        #expect(throws: AccountError.self) { try DeviceDetails(id: id).check() }
        #expect(throws: Never.self) { try DeviceDetails(id: "A-Za_9", name: "é").check() }
        #expect(throws: AccountError.self) { try DeviceDetails(name: String(repeating: "x", count: 201)).check() }
    }

    @Test("The name of a device's key contains its user and device", arguments: ["app/ann", "a.b/c", "x/Ä/ ö"])
    func deviceKeys(_ principalName: String) {
        for kind in DeviceLogin.Kind.allCases {
            let login = DeviceLogin(kind, principalName: principalName, device: "d-1_x")
            #expect(DeviceLogin(login.name) == login)
        }
        #expect(DeviceLogin(UserAccount.newKey()) == nil && DeviceLogin("session-") == nil && DeviceLogin("ann") == nil)
    }

    @Test("Stored devices can be read again and contain no secret")
    func kept() throws {
        var list = DeviceList(nil)
        let (device, secret) = try list.logIn(DeviceDetails(name: "phone", model: "m"), version: "1.2", now: 100)
        #expect(DeviceList(list.bytes) == list)
        #expect(!String(decoding: list.bytes, as: UTF8.self).contains(secret))
        #expect(list.device(device.id, holding: secret) == device && list.device(device.id, holding: "x") == nil)
        #expect(DeviceList(Array("[1]".utf8)).devices.isEmpty)
    }

    @Test("A refresh token is one string for any name", arguments: ["ann", "a.b", "Ä/ ö", "x"])
    func tokens(_ name: String) {
        let token = RefreshToken(user: name, device: "d", secret: "s-_")
        #expect(RefreshToken(token.text) == token)
    }

    @Test("Other strings are refused", arguments: ["", ".", "..", "a.b", "a.b.c.d", "!.b.c", "/w.b.c"])
    func noTokens(_ text: String) {
        if let token = RefreshToken(text) { #expect(token.text == text) }
    }
}
