//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitTransport
import NIOCore
import NIOPosix

extension HostAddress {
    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(text)
    }

    /// Threads for name lookups, so that a slow name server does not block other work.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
        return threads
    }()

    /// Returns the addresses of a host in the system's order of preference. If `host` is an address and not a name,
    /// returns this address.
    ///
    /// - Returns: An empty array when the name is not known or the lookup fails.
    static func all(of host: String) async throws -> [HostAddress] {
        if let address = HostAddress(host) { return [address] }
        return try await threads.runIfActive { resolved(host) }
    }

    private static func resolved(_ host: String) -> [HostAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_protocol = CInt(IPPROTO_TCP)
        var firstEntry: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &firstEntry) == 0 else { return [] }
        defer { freeaddrinfo(firstEntry) }
        var addresses: [HostAddress] = []
        var nextEntry = firstEntry
        while let entry = nextEntry {
            if let address = HostAddress(entry.pointee), !addresses.contains(address) { addresses.append(address) }
            nextEntry = entry.pointee.ai_next
        }
        return addresses
    }

    private init?(_ entry: addrinfo) {
        guard let address = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            self.init(address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee) })
        case AF_INET6:
            self.init(address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee) })
        default: return nil
        }
    }
}
