//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Synchronization

/// Decides whether a request comes from the browser of the user. The device prints an address that contains a secret
/// key, and the user opens this address in the browser.
///
/// A browser that opens the address with the key gets a cookie. The cookie of an earlier browser is not valid any more.
/// Requests of other programs, of other users of the computer, and of other pages are refused. They are recognized
/// because they have no valid cookie, contain another host, or come from another origin.
struct DeviceAccess: Sendable {
    /// The message of a refusal. It tells the user what to do.
    static let advice = "Open the address that the device printed when it started."

    /// The secret in the address that the device prints.
    let key = DeviceAccess.secret()
    let port: Int
    private let cookie = SharedSecret()

    /// The names of this machine that a browser may use.
    private var hosts: Set<String> { ["127.0.0.1:\(port)", "localhost:\(port)"] }

    // The name contains the port, because all ports of a host share their cookies.
    private var cookieName: String { "GodwitDevice-\(port)" }

    /// Whether the host of a request is this computer, and no page of another site sent the request. However, the
    /// request is permitted if the user followed a link on another page.
    func isFromHere(_ request: HTTPRequest) -> Bool {
        guard let host = request.authority?.lowercased(), hosts.contains(host) else { return false }
        let site = request.headerFields[.secFetchSite]
        if let site, site != "same-origin", site != "none" {
            // A link on another page may lead here. This is safe, because the browser sends such a request without the
            // cookie (`SameSite=Strict`).
            guard request.method == .get, request.headerFields[.secFetchMode] == "navigate" else { return false }
        }
        guard let origin = request.headerFields[.origin] else { return true }
        return origin == "http://\(host)"
    }

    /// Whether a request has the cookie of the current browser.
    func isAllowed(_ request: HTTPRequest) -> Bool {
        let cookies = (request.headerFields[.cookie] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        return cookies.contains { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == cookieName && cookie.isEqual(String(parts[1]))
        }
    }

    /// Returns the header `Set-Cookie` for a browser that opens the address with the key; `nil` if the key is wrong.
    /// The cookies of earlier browsers are not valid any more.
    func newCookie(for key: String) -> String? {
        guard DeviceAccess.areEqual(key, self.key) else { return nil }
        return "\(cookieName)=\(cookie.renew()); Path=/; HttpOnly; SameSite=Strict"
    }

    /// Returns a secret of 128 bits.
    static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = String(generator.next() as UInt64, radix: 36) + String(generator.next() as UInt64, radix: 36)
        return digits
    }

    /// Compares two texts in a time that does not depend on the position of the first difference.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return zip(left.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The value of the cookie. Each time a browser uses the key, the value is replaced.
private final class SharedSecret: Sendable {
    private let secret = Mutex(DeviceAccess.secret())

    func isEqual(_ text: String) -> Bool { secret.withLock { DeviceAccess.areEqual(text, $0) } }

    func renew() -> String {
        secret.withLock { secret in
            secret = DeviceAccess.secret()
            return secret
        }
    }
}

extension HTTPField.Name {
    fileprivate static var secFetchSite: HTTPField.Name { HTTPField.Name("Sec-Fetch-Site")! }
    fileprivate static var secFetchMode: HTTPField.Name { HTTPField.Name("Sec-Fetch-Mode")! }
}
