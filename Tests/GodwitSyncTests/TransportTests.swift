//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitStore
import GodwitTransport
import GodwitURLSession
import TestKit
import Testing

/// Tests the requirements of ``Transport`` with a server that sends arbitrary bytes.
@Suite("Transports", .endsWhenHung)
struct TransportTests {
    private func request(_ method: String, _ url: String, secondsMax: Int = 30) -> TransportRequest {
        TransportRequest(method: method, url: url, secondsMax: secondsMax)
    }

    /// Returns pieces of a body, with an error after them.
    private func pieces(_ count: Int, of size: Int, then error: (any Error)? = nil) -> AsyncThrowingStream<
        [UInt8], any Error
    > {
        AsyncThrowingStream { stream in
            for number in 0..<count { stream.yield([UInt8](repeating: UInt8(number & 0x7F), count: size)) }
            stream.finish(throwing: error)
        }
    }

    @Test(
        "Method, path, headers and body arrive, and so do status, headers and body of the response",
        arguments: Wire.allCases)
    func whole(_ wire: Wire) async throws {
        let seen = Mutex<[String]>([])
        let server = try SocketServer { peer in
            let body = peer.receive(until: "body")
            seen.withLock { $0 = [peer.head[0], peer.header("X-One") ?? "", String(decoding: body, as: UTF8.self)] }
            peer.send("HTTP/1.1 412 No\nX-Two: zwei\nContent-Length: 2\nConnection: close\n\nhi")
        }
        var asked = request("PUT", server.address + "/a%2Fb?c=%22d%22")
        asked.headers = [("X-One", "1")]
        asked.body = .bytes(Array("the body".utf8))
        let answer = try await wire.transport.send(asked)
        #expect(answer.status == 412)
        #expect(answer["x-two"] == "zwei")
        #expect(try await answer.collect(bytesMax: 10) == Array("hi".utf8))
        #expect(seen.withLock { $0 } == ["PUT /a%2Fb?c=%22d%22 HTTP/1.1", "1", "the body"])
    }

    @Test("Redirects and refusals are responses, and cookies are not stored", arguments: Wire.allCases)
    func nothingOfItsOwn(_ wire: Wire) async throws {
        let heads = Mutex<[[String]]>([])
        let server = try SocketServer { peer in
            heads.withLock { $0.append(peer.head) }
            let status = peer.path == "/moved" ? "302 Found\nLocation: /elsewhere" : "401 Unauthorized"
            peer.send(
                """
                HTTP/1.1 \(status)
                WWW-Authenticate: \(peer.path == "/odd" ? "Bearer" : "Basic realm=\"x\"")
                Set-Cookie: AuthSession=abc; Path=/
                Cache-Control: max-age=60
                Content-Length: 0
                Connection: close


                """)
        }
        let transport = wire.transport
        for (path, status) in [("/moved", 302), ("/closed", 401), ("/odd", 401), ("/moved", 302)] {
            var asked = request("GET", server.address + path)
            asked.headers = [("Authorization", "Basic YTpi")]
            let answer = try await transport.send(asked)
            #expect(answer.status == status)
            #expect(answer["Set-Cookie"]?.hasPrefix("AuthSession=abc") == true)
            #expect(try await answer.collect(bytesMax: 10) == [])
        }
        let all = heads.withLock { $0 }
        #expect(all.count == 4)
        #expect(!all.joined().contains { $0.lowercased().hasPrefix("cookie") })
    }

    @Test("A long body in pieces arrives completely, with its length", arguments: Wire.allCases)
    func upload(_ wire: Wire) async throws {
        let counts = Mutex<[Int]>([])
        let server = try SocketServer { peer in
            guard let length = peer.header("Content-Length").flatMap(Int.init) else { return }
            var count = 0
            while count < length {
                let more = peer.receive()
                if more.isEmpty { return }
                count += more.count
            }
            counts.withLock { $0.append(count) }
            peer.send("HTTP/1.1 201 Created\nContent-Length: 0\nConnection: close\n\n")
        }
        for (count, size) in [(3, 1_000), (160, 64 << 10)] {
            var asked = request("PUT", server.address + "/a")
            asked.body = .stream(pieces(count, of: size), length: count * size)
            #expect(try await wire.transport.send(asked).status == 201)
            #expect(counts.withLock { $0.last } == count * size)
        }
    }

    #if !canImport(Darwin)
        @Test(
            "A body that Foundation would hold in memory is refused above a limit, and the error names the alternative")
        func longUpload() async throws {
            var asked = request("PUT", "http://127.0.0.1:9/a")
            asked.body = .stream(pieces(1, of: 1), length: (64 << 20) + 1)
            let error = await #expect(throws: ReplicationError.self) { try await URLSessionTransport().send(asked) }
            #expect(error?.code == .tooLarge)
            #expect(error?.isTransient == false)
            #expect(error?.message.contains("GodwitClientNIO") == true)
        }
    #endif

    @Test("A body that fails or is too short is never accepted as complete", arguments: Wire.allCases)
    func brokenUpload(_ wire: Wire) async throws {
        struct Broken: Error {}
        let ends = Mutex<[Bool]>([])
        let server = try SocketServer { peer in
            let length = peer.header("Content-Length").flatMap(Int.init)
            var count = 0
            while count != length {
                let more = peer.receive()
                if more.isEmpty { break }
                count += more.count
            }
            ends.withLock { $0.append(count == length) }
        }
        for size in [100, 1 << 20] {
            for error in [Broken(), nil] as [Broken?] {
                var asked = request("PUT", server.address + "/a")
                asked.body = .stream(pieces(3, of: size, then: error), length: 4 * size)
                await #expect(throws: ReplicationError.self) { try await wire.transport.send(asked) }
            }
        }
        #expect(!ends.withLock { $0.contains(true) })
    }

    @Test("A compressed response is decompressed once, by the transport or its caller", arguments: Wire.allCases)
    func packed(_ wire: Wire) async throws {
        // `hello hello hello`, compressed by gzip.
        let bytes: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x90, 0, 0x80, 0x88,
            0xF9, 0xE5, 0x11, 0, 0, 0,
        ]
        let server = try SocketServer { peer in
            peer.send("HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: \(bytes.count)\nConnection: close\n\n")
            peer.send(bytes)
        }
        var asked = request("GET", server.address)
        asked.headers = [("Accept-Encoding", "gzip")]
        let answer = try await wire.transport.send(asked)
        let text = try await answer.collect(bytesMax: 100, isPacked: answer["Content-Encoding"] == "gzip")
        #expect(String(decoding: text, as: UTF8.self) == "hello hello hello")
    }

    @Test(
        "A response arrives during its request's body, and an interrupted body is not complete",
        arguments: Wire.allCases)
    func cut(_ wire: Wire) async throws {
        let (seen, see) = AsyncStream.makeStream(of: Void.self)
        let server = try SocketServer { peer in
            peer.send("HTTP/1.1 200 OK\nContent-Length: 20\n\n0123456789")
            // The rest is never sent. The connection ends after these ten bytes are read.
            see.yield()
            _ = peer.receive(until: "never")
        }
        _ = server
        let short = try SocketServer { peer in
            peer.send("HTTP/1.1 200 OK\nContent-Length: 20\n\n0123456789")
        }
        let open = try await wire.transport.send(request("GET", server.address))
        var iterator = open.body.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        #expect(first.count > 0)
        for await _ in seen { break }
        let answer = try await wire.transport.send(request("GET", short.address))
        let error = await #expect(throws: ReplicationError.self) { try await answer.collect(bytesMax: 100) }
        #expect(error?.code == .network)
    }

    @Test("A request ends with its reader or its task", arguments: Wire.allCases)
    func left(_ wire: Wire) async throws {
        let (left, leave) = AsyncStream.makeStream(of: Bool.self)
        let server = try SocketServer { peer in
            if peer.path == "/body" { peer.send("HTTP/1.1 200 OK\nContent-Length: 20\n\n0123456789") }
            leave.yield(peer.isLeft(within: 60))
        }
        do {
            let answer = try await wire.transport.send(request("GET", server.address + "/body"))
            for try await _ in answer.body { break }
        }
        for await isLeft in left {
            #expect(isLeft)
            break
        }
        let task = Task { try await wire.transport.send(request("GET", server.address + "/head")) }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        let error = await #expect(throws: ReplicationError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        for await isLeft in left {
            #expect(isLeft)
            break
        }
    }

    @Test("Timeouts, refused connections and unknown host names have readable errors", arguments: Wire.allCases)
    func unreachable(_ wire: Wire) async throws {
        let server = try SocketServer { peer in _ = peer.isLeft(within: 60) }
        for (url, words) in [
            (server.address + "/secret?token=1", "no response in time"), ("http://127.0.0.1:9/db", "connect"),
            ("http://no-such-host.invalid/db", "unknown"),
        ] {
            let error = await #expect(throws: ReplicationError.self) {
                try await wire.transport.send(request("GET", url, secondsMax: 1))
            }
            #expect(error?.code == .network)
            #expect(error?.isTransient == true)
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("token") == false)
        }
    }

    @Test("A peer that sends faster than its reader does not fill the memory", arguments: Wire.allCases)
    func unread(_ wire: Wire) async throws {
        let sent = Mutex(0)
        let server = try SocketServer { peer in
            peer.send("HTTP/1.1 200 OK\nContent-Length: \(1 << 30)\nConnection: close\n\n")
            let piece = [UInt8](repeating: 0x20, count: 1 << 20)
            for _ in 0..<1_024 {
                guard peer.send(piece) else { return }
                sent.withLock { $0 += piece.count }
            }
        }
        let answer = try await wire.transport.send(request("GET", server.address))
        var iterator = answer.body.makeAsyncIterator()
        _ = try await iterator.next()
        var before = -1
        while sent.withLock({ $0 }) != before {
            before = sent.withLock { $0 }
            try await Task.sleep(for: .seconds(1))
        }
        switch wire {
        case .asyncHTTPClient: #expect(before < 256 << 20)
        case .urlSession:
            // Foundation on Linux continues to read: the first bytes are kept up to the limit, and then the request
            // fails.
            var kept = 0
            let error = await #expect(throws: TransportFailure.self) {
                while let piece = try await iterator.next() { kept += piece.count }
            }
            #expect(error?.description.contains("ahead of its reader") == true)
            #expect(kept <= 65 << 20)
        }
    }

    @Test("A hundred concurrent requests to one server", arguments: Wire.allCases)
    func many(_ wire: Wire) async throws {
        let waiting = Mutex(0)
        let server = try SocketServer { peer in
            waiting.withLock { $0 += 1 }
            while waiting.withLock({ $0 }) < 100 { Thread.sleep(forTimeInterval: 0.01) }
            peer.send("HTTP/1.1 200 OK\nContent-Length: 0\nConnection: close\n\n")
        }
        let transport = wire.transport
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask { try await transport.send(request("GET", server.address)).status }
            }
            for try await status in group { #expect(status == 200) }
        }
    }
}
