//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import ProgramKit

@Suite("The access of a browser to a device")
struct DeviceAccessTests {
    private let access = DeviceAccess(port: 7_000)

    private func request(
        _ method: HTTPRequest.Method = .get, host: String = "127.0.0.1:7000", _ headers: [String: String] = [:]
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: host, path: "/state")
        for (name, value) in headers { request.headerFields[HTTPField.Name(name)!] = value }
        return request
    }

    @Test("Requests for this machine, from the page or typed by the user, are from here")
    func fromHere() {
        for host in ["127.0.0.1:7000", "localhost:7000", "LOCALHOST:7000"] {
            #expect(access.isFromHere(request(host: host)))
            #expect(access.isFromHere(request(.post, host: host, ["Origin": "http://\(host.lowercased())"])))
        }
        for site in ["same-origin", "none"] { #expect(access.isFromHere(request(.get, ["Sec-Fetch-Site": site]))) }
        // The user may follow a link on another page.
        #expect(access.isFromHere(request(.get, ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"])))
    }

    @Test("Requests for other hosts, and of other pages, are not")
    func fromElsewhere() {
        for host in ["evil.example", "127.0.0.1", "127.0.0.1:7001", "localhost.evil.example:7000", ""] {
            #expect(!access.isFromHere(request(host: host)))
        }
        for origin in ["null", "http://evil.example", "http://127.0.0.1:7001", "https://127.0.0.1:7000"] {
            #expect(!access.isFromHere(request(.get, ["Origin": origin])))
        }
        for site in ["cross-site", "same-site", "x"] {
            #expect(!access.isFromHere(request(.get, ["Sec-Fetch-Site": site])))
            #expect(!access.isFromHere(request(.post, ["Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"])))
        }
    }

    @Test("The key gives a cookie, which the next use of the key replaces")
    func cookies() throws {
        #expect(access.newCookie(for: "") == nil && access.newCookie(for: access.key + "x") == nil)
        let first = try #require(access.newCookie(for: access.key)?.split(separator: ";").first)
        #expect(access.isAllowed(request(.get, ["Cookie": "a=b; \(first)"])))
        let second = try #require(access.newCookie(for: access.key)?.split(separator: ";").first)
        #expect(!access.isAllowed(request(.get, ["Cookie": String(first)])))
        #expect(access.isAllowed(request(.get, ["Cookie": String(second)])))
        for cookie in [
            "", "GodwitDevice-7000", "GodwitDevice-7000=", "GodwitDevice-7001=\(second.split(separator: "=")[1])",
        ] {
            #expect(!access.isAllowed(request(.get, ["Cookie": cookie])))
        }
    }
}
