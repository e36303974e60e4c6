//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitTransport

/// The hosts to which a replication may connect: a list of host names, addresses and networks.
///
/// Examples of entries: `couch.example.org`, `203.0.113.7:5984`, `10.1.0.0/16`, `[fd00::7]:5984`, `localhost`. The
/// entry `*` permits all hosts with public addresses. An entry with a port permits only this port. An entry with an
/// address or a network also permits all host names that resolve to the address or into the network. Addresses that are
/// not public, for example private, loopback and link-local addresses, are permitted only by an entry with the address
/// or its network. If the name of a host is permitted and resolves to such an address, this is not sufficient. The
/// entry `localhost` permits the loopback networks.
package struct AllowedHosts: Equatable, Sendable {
    private struct Entry: Equatable {
        /// A name in lower case, or `*`; `nil` for an address or a network.
        var name: String?
        var networks: [HostNetwork] = []
        /// The port; `nil` for all ports.
        var port: Int?

        func permits(_ port: Int) -> Bool { self.port == nil || self.port == port }
    }

    /// The entries as text.
    package let words: [String]
    private let entries: [Entry]

    /// Creates an empty list, which permits no host.
    package init() { (words, entries) = ([], []) }

    /// Parses entries.
    ///
    /// - Returns: `nil` when an entry is neither a host nor a network, or its port is invalid.
    package init?(_ words: [String]) {
        var entries: [Entry] = []
        for word in words {
            guard let entry = AllowedHosts.entry(word) else { return nil }
            entries.append(entry)
        }
        self.words = words
        self.entries = entries
    }

    /// Whether the list has no entry.
    package var isEmpty: Bool { entries.isEmpty }

    private static let loopback = [
        HostNetwork([127, 0, 0, 0], bits: 8), HostNetwork([UInt8](repeating: 0, count: 15) + [1], bits: 128),
    ]

    private static func entry(_ word: String) -> Entry? {
        // An IPv6 address or network without brackets has no port.
        if let network = HostNetwork(word) { return Entry(networks: [network]) }
        guard let (host, port) = PeerAuthority.split(word[...]) else { return nil }
        if let network = HostNetwork(host) { return Entry(networks: [network], port: port) }
        guard host == "*" || PeerAuthority.isName(host) else { return nil }
        let name = host.lowercased()
        return Entry(name: name, networks: name == "localhost" ? loopback : [], port: port)
    }

    private func namesHost(_ authority: PeerAuthority) -> Bool {
        entries.contains { entry in
            entry.permits(authority.port)
                && (entry.name == "*" || entry.name?.utf8.elementsEqual(authority.host.lowercased().utf8) == true)
        }
    }

    /// Whether it is possible that an entry permits a host. This is checked before the addresses of the host are known.
    func mayPermit(_ authority: PeerAuthority) -> Bool {
        namesHost(authority) || entries.contains { !$0.networks.isEmpty && $0.permits(authority.port) }
    }

    /// Returns the addresses of a host to which connections are permitted.
    func permitted(_ addresses: [HostAddress], of authority: PeerAuthority) -> [HostAddress] {
        let isNamed = namesHost(authority)
        return addresses.filter { address in
            isNamed && address.isPublic
                || entries.contains { entry in
                    entry.permits(authority.port) && entry.networks.contains { $0.contains(address) }
                }
        }
    }

    /// Whether it is possible that an entry permits a connection to an address and a port. The host name is not known
    /// here.
    func mayPermit(_ address: HostAddress, port: Int) -> Bool {
        entries.contains { entry in
            entry.permits(port)
                && (entry.name != nil && address.isPublic || entry.networks.contains { $0.contains(address) })
        }
    }
}
