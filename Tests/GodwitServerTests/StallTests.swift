//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitQuery
import GodwitServer
import GodwitStore
import Logging
import NIOCore
import TestKit
import Testing

/// A TCP connection on which a test sends arbitrary bytes.
private final class RawConnection: Sendable {
    private let descriptor: Int32

    init(port: Int) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        let connected = try SocketAddress(ipAddress: "127.0.0.1", port: port)
            .withSockAddr { address, length in connect(descriptor, address, socklen_t(length)) }
        try #require(connected == 0)
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Foundation.send(descriptor, bytes, bytes.count, Int32(bitPattern: 0x4000))
    }

    /// Whether the server has ended the connection.
    var isEnded: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(bitPattern: 0x40))
        return count == 0 || count < 0 && errno != EAGAIN
    }
}

@Suite("Stalled clients", .endsWhenHung)
struct StallTests {
    /// Sends bytes every 50 ms after a head that announces more, to a server that closes stalled connections after a
    /// second.
    ///
    /// - Parameter secondsMax: The time after which the client stops.
    /// - Returns: Whether the server closed the connection within this time.
    private func isCutOff(_ head: String, sending bytes: Int, secondsMax: Int) async throws -> Bool {
        let path = NSTemporaryDirectory() + "godwit-stall-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let manager = try DatastoreManager(directory: path, durability: .normal)
        _ = try await manager.datastore(named: "db")
        var limits = ServerLimits()
        limits.stallSecondsMax = 1
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = GodwitServer(
            manager: manager, administrators: Administrators(name: "admin", password: "secret"),
            address: .init(port: 0), limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onListening: { port.yield($0) })
        let running = Task { try await server.run() }
        var isCutOff = false
        for await port in ports {
            let connection = try RawConnection(port: port)
            connection.send(head)
            isCutOff = await isEnded(connection, sending: bytes, secondsMax: secondsMax)
            break
        }
        running.cancel()
        _ = await running.result
        await manager.close()
        return isCutOff
    }

    /// Sends from a separate thread: while other tests run, a task may wait for longer than the server does.
    private func isEnded(_ connection: RawConnection, sending bytes: Int, secondsMax: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            let text = String(repeating: "x", count: bytes)
            Thread {
                var isEnded = false
                for _ in 0..<(20 * secondsMax) where !isEnded {
                    connection.send(text)
                    usleep(50_000)
                    isEnded = connection.isEnded
                }
                continuation.resume(returning: isEnded)
            }.start()
        }
    }

    private static let upload =
        "PUT /db/a/x HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YWRtaW46c2VjcmV0\r\n"
        + "Content-Type: a/b\r\nContent-Length: 100000000\r\n\r\n"

    @Test(
        "A body of one byte at a time is disconnected, a faster one is not",
        arguments: [(1, true), (65_536, false)])
    func body(_ bytes: Int, _ expected: Bool) async throws {
        // A busy machine may need longer than the server's second to close the connection.
        let secondsMax = expected ? 30 : 5
        #expect(try await isCutOff(Self.upload, sending: bytes, secondsMax: secondsMax) == expected)
    }

    @Test("A head of one byte at a time is disconnected")
    func head() async throws {
        #expect(try await isCutOff("GET /?a=", sending: 1, secondsMax: 30))
    }
}
