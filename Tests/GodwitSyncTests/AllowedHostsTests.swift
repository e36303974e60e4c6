//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitClientNIO
@testable import GodwitTransport

/// Tests which hosts a list permits (issue 21, number 6).
@Suite struct AllowedHostsTests {
    @Test(
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.31.255.255", "192.168.0.1",
            "198.19.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::10.0.0.1", "fc00::1",
            "fd12::1", "fe80::1", "ff02::1", "64:ff9b::a00:1", "2002:a00:1::", "2001::1", "2001:db8::1",
        ])
    func reservedAddresses(_ text: String) throws {
        #expect(try !#require(HostAddress(text)).isPublic)
    }

    @Test(arguments: ["9.255.255.255", "11.0.0.0", "172.32.0.1", "8.8.8.8", "::ffff:8.8.8.8", "2a00:1450::1"])
    func addressesOfTheInternet(_ text: String) throws {
        #expect(try #require(HostAddress(text)).isPublic)
    }

    @Test(
        arguments: [
            "https://127.0.0.1/x", "https://127.1", "https://2130706433/", "https://0x7f000001", "https://0.0.0.0",
            "https://[::]", "https://[::1]:8", "https://[::ffff:127.0.0.1]", "https://a.localhost",
            "https://x@localhost/",
            "https://", "nothing",
        ])
    func urlsThatMayReachThisMachine(_ url: String) { #expect(RemoteURL.mayReachThisMachine(url)) }

    @Test(arguments: [
        "https://localhost.example.org", "https://127.example.org/", "https://10.0.0.1", "https://[2a00::1]",
    ])
    func urlsOfOtherMachines(_ url: String) { #expect(!RemoteURL.mayReachThisMachine(url)) }

    @Test(arguments: [
        "http://127%2e0.0.1/x", "http://a\\@b/x", "http://ä.example/x", "http:///x", "http://a:99999/x",
        "http://[2a00::1]\u{301}:80/x",
    ])
    func urlsWhoseHostIsNotCertain(_ url: String) { #expect(PeerAuthority(of: url) == nil) }

    @Test func namesDoNotPermitPrivateAddresses() throws {
        let hosts = try #require(AllowedHosts(["couch.example.org", "*:5984", "10.1.0.0/16:80", "[fd00::7]:443"]))
        func permitted(_ url: String, _ addresses: [String]) throws -> [String] {
            let authority = try #require(PeerAuthority(of: url))
            let all = try addresses.map { try #require(HostAddress($0)) }
            return hosts.permitted(all, of: authority).map(\.description)
        }
        #expect(try permitted("http://Couch.example.org./x", ["8.8.8.8", "10.2.0.1", "127.0.0.1"]) == ["8.8.8.8"])
        #expect(try permitted("http://other.example.org/x", ["8.8.8.8", "10.1.0.1"]) == ["10.1.0.1"])
        #expect(try permitted("http://other.example.org:5984/x", ["8.8.8.8", "10.1.0.1"]) == ["8.8.8.8"])
        #expect(try permitted("https://[fd00::7]/x", ["fd00::7", "fd00::8"]) == ["fd00::7"])
        #expect(try permitted("https://x/x", ["10.1.0.1"]) == [])
    }

    @Test func aUrlAtAnAddressKeepsItsPath() throws {
        let authority = try #require(PeerAuthority(of: "http://couch.example.org:5984/a%2Fb/_changes?x=//"))
        #expect(authority.url(at: try #require(HostAddress("8.8.8.8"))) == "http://8.8.8.8:5984/a%2Fb/_changes?x=//")
        #expect(authority.text == "couch.example.org:5984")
    }

    @Test(
        "Formats of addresses",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("", ""), ("unix", "unix"),
            ("fe80::1%eth0", "fe:80:0:0:0:0:0:0::/64"), ("2001:db8::1", "20:1:d:b8:0:0:0:0::/64"),
        ])
    func names(_ address: String, _ name: String) {
        #expect(HostAddress.network(of: address) == name)
    }
}
