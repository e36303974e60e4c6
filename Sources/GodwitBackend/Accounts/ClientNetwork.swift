//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The part of an address that tells clients apart.
enum ClientNetwork {
    /// Bytes of an IPv6 address that a provider gives to one client, who is free to choose the others.
    private static let prefixBytes = 8

    private static let mappedPrefix = "::ffff:"

    /// An IPv4 address as it is, and of an IPv6 address the network; of one that stands for an IPv4 address, that one.
    static func name(of address: String) -> String {
        if address.contains("."), address.hasPrefix(mappedPrefix) {
            return String(address.dropFirst(mappedPrefix.count))
        }
        let plain = String(address.prefix { $0 != "%" })
        var parsed = in6_addr()
        guard inet_pton(AF_INET6, plain, &parsed) == 1 else { return address }
        return withUnsafeBytes(of: parsed) { bytes in
            bytes.prefix(prefixBytes).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
        }
    }
}
