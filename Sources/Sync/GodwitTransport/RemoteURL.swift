//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation

/// The address of a database on a server, and the credentials that its URL contained.
public struct RemoteURL: Sendable, CustomStringConvertible {
    /// The URL without credentials, query and fragment, and without trailing slashes.
    public let description: String

    /// The credentials of the URL, or ``Credentials/none``.
    public let credentials: Credentials

    /// Whether the host of a URL is this machine: `localhost` or a loopback address.
    static func isLoopback(_ url: String) -> Bool {
        guard let host = URLComponents(string: url)?.host else { return false }
        return HostAddress.isThisMachine(host)
    }

    /// Whether a connection to the host of a URL may reach this machine. This is the case if the host is this machine,
    /// the address 0, or a number that systems read as an IPv4 address, such as `127.1` or `2130706433`. The result is
    /// also `true` for a URL without a host.
    package static func mayReachThisMachine(_ url: String) -> Bool {
        guard let host = URLComponents(string: url)?.host, !host.isEmpty else { return true }
        let name = host.begins(with: "[") ? String(Substring(host.utf8.dropFirst().dropLast())) : host
        if let address = HostAddress(name) {
            return HostAddress.isThisMachine(name) || address.bytes.allSatisfy { $0 == 0 }
        }
        let label = name.pieces(at: ".").last?.lowercased() ?? ""
        return label == "localhost" || label.begins(with: "0x") || label.allSatisfy(\.isNumber)
    }

    /// Parses a URL such as `http://user:password@host/db`.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidURL``, whose message contains no
    ///   credentials.
    public init(_ text: String) throws(ReplicationError) {
        try self.init(text, namesDatabase: true)
    }

    /// Parses the URL of a server, such as `http://user:password@host`.
    ///
    /// - Throws: As ``init(_:)``.
    package init(server text: String) throws(ReplicationError) {
        try self.init(text, namesDatabase: false)
    }

    private init(_ text: String, namesDatabase: Bool) throws(ReplicationError) {
        guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
        else {
            let thing = namesDatabase ? "database" : "server"
            throw ReplicationError(.invalidURL, "the URL of a \(thing) must begin with http:// or https:// and a host")
        }
        try RemoteURL.checkAuthority(of: text)
        if let user = parts.user {
            credentials = .basic(user: user, password: parts.password ?? "")
        } else {
            credentials = .none
        }
        parts.user = nil
        parts.password = nil
        parts.query = nil
        parts.fragment = nil
        guard var cleanURL = parts.string else {
            throw ReplicationError(.invalidURL, "the URL of the database at \(host) cannot be read")
        }
        while cleanURL.ends(with: "/") { cleanURL.removeLast() }
        guard !namesDatabase || !parts.path.isEmpty && parts.path != "/" else {
            throw ReplicationError(.invalidURL, "\(cleanURL) names a server; add the database: \(cleanURL)/name")
        }
        description = cleanURL
    }

    /// Checks that a client can connect to the host and port of a URL.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidURL`` when the URL does not begin with
    ///   `http://` or `https://`, has no host, or has a port that is not a number from 1 to 65535. The message contains
    ///   no part of the URL.
    package static func checkAuthority(of url: String) throws(ReplicationError) {
        let bytes = url.utf8
        guard let scheme = ["http://", "https://"].first(where: { RemoteURL.begins(bytes, with: $0) }) else {
            throw ReplicationError(.invalidURL, "a URL must begin with http:// or https://")
        }
        let authority = bytes.dropFirst(scheme.utf8.count).prefix {
            ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0)
        }
        let hostAndPort = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[$0...].dropFirst() } ?? authority
        // The colons within the brackets of an IPv6 address do not begin a port.
        let afterAddress = hostAndPort.lastIndex(of: UInt8(ascii: "]")).map { hostAndPort[$0...] } ?? hostAndPort
        let port = afterAddress.firstIndex(of: UInt8(ascii: ":")).map { afterAddress[$0...] } ?? afterAddress.suffix(0)
        guard hostAndPort.count > port.count else {
            throw ReplicationError(.invalidURL, "a URL must name a host after http:// or https://")
        }
        guard port.count <= 1 || RemoteURL.isPort(port.dropFirst()) else {
            throw ReplicationError(.invalidURL, "the port in a URL must be a number from 1 to 65535")
        }
    }

    private static func begins(_ bytes: String.UTF8View, with scheme: String) -> Bool {
        // 0x20 is the difference between the cases of an ASCII letter. The other characters of a scheme have this bit.
        bytes.count >= scheme.utf8.count && zip(bytes, scheme.utf8).allSatisfy { $0 | 0x20 == $1 }
    }

    private static func isPort(_ digits: Substring.UTF8View) -> Bool {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
        // Bounded: a text is parsed.
        return UInt16(Substring(digits)).map { $0 > 0 } ?? false
    }
}
