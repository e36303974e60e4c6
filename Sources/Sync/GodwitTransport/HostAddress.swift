//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An IP address. An IPv4-mapped IPv6 address equals its IPv4 address.
package struct HostAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four bytes for IPv4, sixteen for IPv6.
    package let bytes: [UInt8]
    /// The address as text.
    package let description: String

    /// Reads `203.0.113.7` or `2001:db8::7`, without brackets.
    package init?(_ text: String) {
        var (ipv4Bytes, ipv6Bytes) = ([UInt8](repeating: 0, count: 4), [UInt8](repeating: 0, count: 16))
        if inet_pton(AF_INET, text, &ipv4Bytes) == 1 {
            bytes = ipv4Bytes
        } else if inet_pton(AF_INET6, text, &ipv6Bytes) == 1 {
            bytes = HostAddress.mapped.contains(ipv6Bytes) ? Array(ipv6Bytes.suffix(4)) : ipv6Bytes
        } else {
            return nil
        }
        description = bytes.count == 4 ? bytes.map { String($0) }.joined(separator: ".") : text
    }

    /// The network that providers usually assign to one client: for IPv4 the address itself, for IPv6 the first 64 bits
    /// of the address.
    package var network: String {
        bytes.count == 4
            ? description : bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }

    /// The network of an address as text. A text that is not an address is returned unchanged.
    package static func network(of address: String) -> String {
        // A link-local address may have its interface after a percent sign.
        HostAddress(String(address.prefix { $0 != "%" }))?.network ?? address
    }

    /// Whether a host is this machine: `localhost` or a loopback address. IPv6 addresses may have brackets.
    package static func isThisMachine(_ host: String) -> Bool {
        let withoutBrackets =
            host.begins(with: "[") && host.ends(with: "]") ? String(Substring(host.utf8.dropFirst().dropLast())) : host
        return withoutBrackets.lowercased() == "localhost" || HostAddress(withoutBrackets)?.isLoopback == true
    }

    private var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// Whether this is a public address of the Internet. The following addresses are not public: private, loopback,
    /// link-local, multicast and otherwise reserved addresses (RFC 6890), and IPv6 addresses that a gateway translates
    /// to IPv4.
    package var isPublic: Bool {
        if bytes.count == 4 { return !HostAddress.reserved.contains { $0.contains(bytes) } }
        return HostAddress.unicast.contains(bytes) && !HostAddress.reservedUnicast.contains { $0.contains(bytes) }
    }

    /// The IPv4-mapped IPv6 addresses.
    private static let mapped = HostNetwork([UInt8](repeating: 0, count: 10) + [255, 255, 0, 0, 0, 0], bits: 96)

    /// The IPv4 networks that are not public.
    private static let reserved = [
        HostNetwork([0, 0, 0, 0], bits: 8), HostNetwork([10, 0, 0, 0], bits: 8),
        HostNetwork([100, 64, 0, 0], bits: 10), HostNetwork([127, 0, 0, 0], bits: 8),
        HostNetwork([169, 254, 0, 0], bits: 16), HostNetwork([172, 16, 0, 0], bits: 12),
        HostNetwork([192, 0, 0, 0], bits: 24), HostNetwork([192, 0, 2, 0], bits: 24),
        HostNetwork([192, 168, 0, 0], bits: 16), HostNetwork([198, 18, 0, 0], bits: 15),
        HostNetwork([198, 51, 100, 0], bits: 24), HostNetwork([203, 0, 113, 0], bits: 24),
        HostNetwork([224, 0, 0, 0], bits: 3),
    ]

    /// The global unicast addresses of IPv6.
    private static let unicast = HostNetwork([0x20] + [UInt8](repeating: 0, count: 15), bits: 3)

    /// The global unicast networks that are not public: Teredo and other protocols, documentation, 6to4.
    private static let reservedUnicast = [
        HostNetwork([0x20, 0x01] + [UInt8](repeating: 0, count: 14), bits: 23),
        HostNetwork([0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 12), bits: 32),
        HostNetwork([0x20, 0x02] + [UInt8](repeating: 0, count: 14), bits: 16),
    ]
}

/// A network, which consists of all addresses with the same prefix.
package struct HostNetwork: Hashable, Sendable {
    private let prefix: [UInt8]
    private let bits: Int

    /// Creates the network of the addresses whose first `bits` bits are equal to the first bits of `prefix`.
    ///
    /// - Parameters:
    ///   - prefix: The bytes of a complete address: 4 for IPv4, 16 for IPv6.
    ///   - bits: The length of the common prefix, at most the number of bits of an address.
    package init(_ prefix: [UInt8], bits: Int) {
        self.prefix = prefix
        self.bits = bits
    }

    /// Reads an address or a network, such as `10.0.0.0/8`.
    package init?(_ text: String) {
        let parts = text.pieces(at: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = HostAddress(String(parts[0])) else { return nil }
        let bitsMax = address.bytes.count * 8
        guard let bits = parts.count == 1 ? bitsMax : Int(parts[1]), (0...bitsMax).contains(bits) else { return nil }
        self.init(address.bytes, bits: bits)
    }

    /// Whether an address is in the network. An address of the other IP version is never in the network.
    package func contains(_ address: HostAddress) -> Bool { contains(address.bytes) }

    func contains(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == prefix.count, bytes.prefix(bits / 8) == prefix.prefix(bits / 8) else { return false }
        guard bits % 8 != 0 else { return true }
        return (bytes[bits / 8] ^ prefix[bits / 8]) >> (8 - bits % 8) == 0
    }
}
