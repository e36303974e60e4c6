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
        let (device, first) = list.add("phone", version: nil, now: 100)
        let second = try renewed(list.renew(device.id, secret: first, version: nil, now: 110))
        _ = try renewed(list.renew(device.id, secret: first, version: nil, now: 120))
        // The second token is invalid, because another one was issued for the first.
        #expect(list.renew(device.id, secret: second, version: nil, now: 130) == .unknown)
        #expect(list.devices.count == 1)
    }

    @Test("A token that is used again later logs the device out")
    func theft() throws {
        var list = DeviceList(nil)
        let (device, first) = list.add("phone", version: nil, now: 100)
        let second = try renewed(list.renew(device.id, secret: first, version: nil, now: 110))
        let later = 111 + Int64(BackendLimits.refreshGraceSeconds)
        #expect(list.renew(device.id, secret: first, version: nil, now: later) == .stolen)
        #expect(list.renew(device.id, secret: second, version: nil, now: later) == .unknown)
    }

    @Test("A wrong token changes nothing")
    func wrong() throws {
        var list = DeviceList(nil)
        let (device, first) = list.add("phone", version: nil, now: 100)
        #expect(list.renew(device.id, secret: "x", version: nil, now: 110) == .unknown)
        #expect(list.renew("other", secret: first, version: nil, now: 110) == .unknown)
        _ = try renewed(list.renew(device.id, secret: first, version: nil, now: 110))
    }

    @Test("If there are too many devices, the least recently used one is removed, and those never used again")
    func limits() {
        var list = DeviceList(nil)
        let ids = (0...BackendLimits.devicesMax).map { list.add("\($0)", version: nil, now: Int64($0)).device.id }
        #expect(list.devices.map(\.id) == Array(ids.dropFirst()))
        _ = list.add("new", version: nil, now: Int64(BackendLimits.refreshSecondsMax) + 1_000)
        #expect(list.devices.map(\.name) == ["new"])
    }

    @Test("Stored devices can be read again and contain no secret")
    func kept() {
        var list = DeviceList(nil)
        let (device, secret) = list.add("phone", version: "1.2", now: 100)
        #expect(DeviceList(list.bytes) == list)
        #expect(!String(decoding: list.bytes, as: UTF8.self).contains(secret))
        #expect(list.holds(device.id, secret: secret) && !list.holds(device.id, secret: "x"))
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
