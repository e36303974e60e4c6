//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Dispatch

#if canImport(Network)
    import Network
#endif

#if canImport(Network)
    /// Calls a function when the network changes, until this object is released.
    package final class NetworkChanges: Sendable {
        private let monitor = NWPathMonitor()

        /// Starts to follow the network. The function is called on the queue.
        package init?(queue: DispatchQueue, _ notify: @escaping @Sendable () -> Void) {
            monitor.pathUpdateHandler = { _ in notify() }
            monitor.start(queue: queue)
        }

        deinit { monitor.cancel() }
    }
#else
    /// Reads a netlink socket (`rtnetlink(7)`) and calls a function when the network changes, until this object is
    /// released.
    package final class NetworkChanges: @unchecked Sendable {
        // Proof of `Sendable`: the source is never replaced, and can be cancelled from any thread.
        private let messages: any DispatchSourceRead

        /// - Returns: `nil` if the socket cannot be created, for instance in some sandboxes.
        package init?(queue: DispatchQueue, _ notify: @escaping @Sendable () -> Void) {
            guard let socket = Netlink.socketOfChanges() else { return nil }
            messages = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
            messages.setEventHandler {
                Netlink.forgetMessages(of: socket)
                notify()
            }
            messages.setCancelHandler { close(socket) }
            messages.activate()
        }

        deinit { messages.cancel() }
    }

    /// The constants and structures of `linux/netlink.h` and `linux/rtnetlink.h` that this file needs. They are defined
    /// here because Swift does not import them.
    private enum Netlink {
        /// `struct sockaddr_nl`.
        private struct Address {
            var family = sa_family_t(AF_NETLINK)
            var padding: UInt16 = 0
            var process: UInt32 = 0
            var groups: UInt32
        }

        /// `SOCK_RAW`, which Glibc declares as an enumeration and Musl as a number.
        private static let raw: Int32 = 3
        /// `NETLINK_ROUTE`.
        private static let route: Int32 = 0
        /// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV6_IFADDR`.
        private static let groups: UInt32 = 0x1 | 0x10 | 0x100

        /// Creates a socket that receives a message when an interface or an address appears or disappears.
        ///
        /// - Returns: `nil` if the socket cannot be created.
        static func socketOfChanges() -> Int32? {
            let descriptor = socket(AF_NETLINK, raw, route)
            guard descriptor >= 0 else { return nil }
            var address = Address(groups: groups)
            let bindResult = withUnsafeBytes(of: &address) { bytes in
                bind(
                    descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self),
                    socklen_t(bytes.count))
            }
            guard bindResult == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
                fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
            else {
                close(descriptor)
                return nil
            }
            return descriptor
        }

        /// Reads and discards all messages, because their content is not needed.
        static func forgetMessages(of descriptor: Int32) {
            withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
                // ENOBUFS: the buffer of the socket was full. The next call of `read` returns further messages.
                var count = 0
                repeat {
                    count = read(descriptor, buffer.baseAddress, buffer.count)
                } while count > 0 || count < 0 && errno == ENOBUFS
            }
        }
    }
#endif
