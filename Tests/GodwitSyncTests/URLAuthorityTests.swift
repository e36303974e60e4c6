//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClientNIO
import GodwitTransport
import GodwitURLSession
import Testing

@Suite("URLs of servers")
struct URLAuthorityTests {
    static let refused = [
        "http://127.0.0.1:70000/x", "http://127.0.0.1:65536/x", "https://h:99999999999999999999/x", "http://h:0/x",
        "http://[::1]:70000/x", "http://user:password@h:70000/x", "http://h:-1/x", "http://h:1e3/x", "http:///x",
        "http://:5984/x", "ftp://h/x", "h/x", "http://", "http://h:\u{661}/x",
    ]

    @Test("a port that no socket has, and an absent host, are refused before a connection", arguments: refused)
    func refusedAuthorities(_ url: String) async {
        #expect(throws: ReplicationError.self) { try RemoteURL.checkAuthority(of: url) }
        #expect(throws: ReplicationError.self) { try RemoteURL(url) }
        let transports: [any Transport] = [AsyncHTTPTransport(), URLSessionTransport()]
        for transport in transports {
            await #expect(throws: ReplicationError.self) {
                _ = try await transport.send(TransportRequest(method: "GET", url: url, secondsMax: 1))
            }
        }
    }

    @Test(
        "other authorities are accepted",
        arguments: [
            "http://h/x", "HTTPS://h:443/x", "http://h:65535/x", "http://[::1]/x", "http://[fd00::7]:5984/x?y=:70000",
            "http://user:70000@h/x", "http://h:/x", "http://h",
        ])
    func acceptedAuthorities(_ url: String) throws { try RemoteURL.checkAuthority(of: url) }
}
