//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if let address = HostAddress(name) {
            return HostAddress.isThisMachine(name) || address.bytes.allSatisfy { $0 == 0 }
        }
        let label = name.split(separator: ".").last?.lowercased() ?? ""
        return label == "localhost" || label.hasPrefix("0x") || label.allSatisfy(\.isNumber)
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
        while cleanURL.hasSuffix("/") { cleanURL.removeLast() }
        guard !namesDatabase || !parts.path.isEmpty && parts.path != "/" else {
            throw ReplicationError(.invalidURL, "\(cleanURL) names a server; add the database: \(cleanURL)/name")
        }
        description = cleanURL
    }
}
