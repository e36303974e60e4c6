//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitTransport

/// The scheme, host and port of a URL.
struct PeerAuthority: Equatable, Sendable {
    let isSecure: Bool
    /// A name or an address, without brackets and without a trailing dot.
    let host: String
    let port: Int
    /// The authority as written in the URL.
    let text: String
    /// The part of the URL after the authority.
    private let pathAndQuery: String

    /// Parses the start of a URL without credentials, in the form of ``RemoteURL``.
    ///
    /// - Returns: `nil` when the URL is malformed, its scheme is neither `http` nor `https`, or its host has characters
    ///   that do not occur in names and addresses. Other parsers could find another host in such a URL.
    init?(of url: String) {
        guard let colon = url.firstBytes("://"), !url.utf8.contains(UInt8(ascii: "\\")) else { return nil }
        let scheme = url[..<colon.lowerBound].lowercased()
        guard ["http", "https"].contains(scheme) else { return nil }
        let afterScheme = url[colon.upperBound...]
        let authority = Substring(afterScheme.utf8.prefix { !"/?#".utf8.contains($0) })
        guard let (host, port) = PeerAuthority.split(authority), PeerAuthority.isName(host) || HostAddress(host) != nil
        else { return nil }
        isSecure = scheme == "https"
        self.host = host.ends(with: ".") ? String(host.dropLast()) : host
        self.port = port ?? (isSecure ? 443 : 80)
        text = String(authority)
        pathAndQuery = String(afterScheme[authority.endIndex...])
    }

    /// Returns the URL with an address in place of the host.
    func url(at address: HostAddress) -> String {
        let host = address.bytes.count == 4 ? address.description : "[\(address)]"
        return "\(isSecure ? "https" : "http")://\(host):\(port)\(pathAndQuery)"
    }

    /// Returns the host and the port of `host`, `host:port`, `[address]` or `[address]:port`; `nil` when the text is
    /// malformed.
    static func split(_ authority: Substring) -> (host: String, port: Int?)? {
        guard !authority.begins(with: "[") else {
            guard let end = authority.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let host = String(authority[authority.utf8.index(after: authority.startIndex)..<end])
            let portPart = authority[authority.utf8.index(after: end)...]
            guard !portPart.isEmpty else { return (host, nil) }
            guard portPart.begins(with: ":"), let port = port(Substring(portPart.utf8.dropFirst())) else { return nil }
            return (host, port)
        }
        let parts = authority.pieces(at: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return (String(host), nil) }
        return port(parts[1]).map { (String(host), $0) }
    }

    private static func port(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int(text).flatMap { (1...65_535).contains($0) ? $0 : nil }
    }

    /// Whether a text contains only characters of a host name.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
