//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

/// A server that sends exactly the bytes that a test specifies, to simulate a peer that violates HTTP.
final class SocketServer: Sendable {
    /// One connection with its request.
    struct Connection: Sendable {
        let descriptor: Int32
        /// The lines of the request's head.
        var head: [String] = []

        /// The path of the request.
        var path: String { head.first.map { String($0.split(separator: " ")[1]) } ?? "" }

        /// Returns a header of the request.
        func header(_ name: String) -> String? {
            head.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { String($0.drop { $0 != ":" }.dropFirst(2)) }
        }

        /// Sends bytes; returns `false` when the peer has disconnected.
        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { SocketServer.send(descriptor, $0) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.replacing("\n", with: "\r\n").utf8)) }

        /// Returns some of the bytes from the peer; empty when it has disconnected.
        func receive() -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return Array(bytes.prefix(max(0, count)))
        }

        /// Returns the bytes until the peer disconnects, or until they end with `end`.
        func receive(until end: String) -> [UInt8] {
            var bytes: [UInt8] = []
            while !bytes.suffix(end.utf8.count).elementsEqual(end.utf8) {
                let more = receive()
                if more.isEmpty { break }
                bytes += more
            }
            return bytes
        }

        /// Returns whether the peer disconnects within some seconds.
        func isLeft(within seconds: Int) -> Bool {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while poll(&state, 1, Int32(seconds * 1_000)) > 0 { if receive().isEmpty { return true } }
            return false
        }
    }

    let address: String
    private let listener: Int32

    /// Listens, and runs `answer` on a separate thread for each connection, with the head of its first request.
    init(_ answer: @escaping @Sendable (Connection) -> Void) throws {
        #if canImport(Darwin)
            listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var position = sockaddr_in()
        position.sin_family = sa_family_t(AF_INET)
        position.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &position) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { position in
                bind(descriptor, position, length) == 0 && getsockname(descriptor, position, &length) == 0
            }
        }
        try #require(isBound && listen(descriptor, 64) == 0)
        address = "http://127.0.0.1:\(UInt16(bigEndian: position.sin_port))"
        _ = BlockingThread.start {
            // Closed here, because after a close elsewhere the descriptor could belong to another socket before this
            // thread notices it.
            defer { close(descriptor) }
            while true {
                let taken = accept(descriptor, nil, nil)
                guard taken >= 0 else { return }
                _ = BlockingThread.start {
                    defer { close(taken) }
                    var connection = Connection(descriptor: taken)
                    var head = ""
                    while !head.hasSuffix("\r\n\r\n") {
                        var byte: UInt8 = 0
                        guard recv(taken, &byte, 1, 0) == 1 else { return }
                        head.unicodeScalars.append(Unicode.Scalar(byte))
                    }
                    connection.head = head.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
                    answer(connection)
                }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #elseif canImport(Musl)
            Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }
}
