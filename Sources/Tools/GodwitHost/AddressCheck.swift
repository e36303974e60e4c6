//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
package import GodwitServer
import NIOCore

extension ServerRun {
    /// If the directory of the databases does not exist, checks that the server can listen on an address. The check
    /// runs before the directory is created, because a server that cannot start must not create the directory. If the
    /// directory exists, does nothing.
    ///
    /// The check binds a socket to the address and then closes the socket. This socket does not listen, so no client
    /// can connect to it.
    ///
    /// - Throws: The error that ``run(onListening:)`` throws when it cannot listen on the address.
    package static func checkAddress(
        _ address: GodwitServer.Address, beforeMaking directory: String, portAdvice: String
    ) throws {
        guard !FileManager.default.fileExists(atPath: directory) else { return }
        do {
            try SocketAddress.makeAddressResolvingHost(address.host, port: address.port).bindAndRelease()
        } catch {
            throw explain(error, address: address, portAdvice: portAdvice)
        }
    }
}

extension SocketAddress {
    fileprivate func bindAndRelease() throws {
        try withSockAddr { address, size in
            let descriptor = socket(Int32(address.pointee.sa_family), streamSocket, 0)
            guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
            defer { close(descriptor) }
            // The server sets the same option. With this option, connections of an earlier run that are still closing
            // do not prevent binding.
            var isOn: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
            guard bind(descriptor, address, socklen_t(size)) == 0 else {
                throw IOError(errnoCode: errno, reason: "bind")
            }
        }
    }
}
