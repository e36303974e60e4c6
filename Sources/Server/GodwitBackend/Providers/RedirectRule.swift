//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The rule for the addresses to which a login in the browser returns.
enum RedirectRule {
    /// The schemes that never belong to an app.
    private static let refusedSchemes: Set<String> = [
        "http", "https", "javascript", "data", "vbscript", "file", "blob", "about", "ftp", "ws", "wss", "mailto",
    ]

    /// Whether a login of an application may return to a URI. It may return to an address on the user's device, with
    /// any port (RFC 8252, section 7.3). It may also return to a URI that is exactly equal to one in the declaration.
    static func permits(_ uri: String, declared: [String]) -> Bool {
        guard isPlain(uri) else { return false }
        return declared.contains { $0.isIdenticalText(to: uri) } || isLoopback(uri)
    }

    /// Whether a declaration may list a URI. It may list an `https://` address, and a URI with a scheme of an app. The
    /// scheme of an app contains a dot.
    static func mayDeclare(_ uri: String) -> Bool {
        guard isPlain(uri), let colon = uri.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = uri[..<colon].lowercased()
        if scheme == "https" {
            return uri.begins(with: "https://")
                && uri.utf8.dropFirst("https://".utf8.count).contains { $0 != UInt8(ascii: "/") }
        }
        return scheme.includes(".") && !Self.refusedSchemes.contains(scheme)
    }

    private static func isLoopback(_ uri: String) -> Bool {
        for host in ["http://127.0.0.1", "http://[::1]", "http://localhost"] where uri.begins(with: host) {
            var rest = uri.dropFirst(host.count)
            if rest.first == ":" { rest = rest.dropFirst().drop { ("0"..."9").contains($0) } }
            if rest.isEmpty || rest.first == "/" || rest.first == "?" { return true }
        }
        return false
    }

    /// Whether a URI has no fragment and consists of printable ASCII characters. Characters that would end the URI in a
    /// header or in a page are excluded.
    private static func isPlain(_ uri: String) -> Bool {
        uri.utf8.count <= BackendLimits.redirectBytesMax
            && uri.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}#".utf8.contains($0) }
    }
}
