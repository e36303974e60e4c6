//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitServer

@Suite("The messages of a WebSocket", .timeLimit(.minutes(5)))
struct WebSocketInboxTests {
    @Test("Messages are read in their order, also those that came before the end") func order() async {
        let inbox = WebSocketInbox()
        inbox.append(.text("a"))
        inbox.append(.binary([1]))
        inbox.close()
        inbox.append(.text("late"))
        let read = [await inbox.next(), await inbox.next(), await inbox.next()]
        #expect(read == [.text("a"), .binary([1]), nil])
    }

    @Test("A reader waits for a message, and a cancelled one ends") func waiting() async {
        let inbox = WebSocketInbox()
        let reader = Task { await inbox.next() }
        await Task.yield()
        inbox.append(.text("a"))
        #expect(await reader.value == .text("a"))
        let cancelled = Task { await inbox.next() }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        #expect(await inbox.next() == nil)
    }

    @Test("Messages without content fill an inbox too") func emptyMessages() {
        let inbox = WebSocketInbox()
        var count = 0
        while !inbox.isFull {
            inbox.append(.binary([]))
            count += 1
        }
        #expect(count < 10_000)
    }

    @Test("A full inbox reports once that it has room again, and is not full after its end") func room() async {
        let inbox = WebSocketInbox()
        let (rooms, continuation) = AsyncStream<Void>.makeStream()
        inbox.onRoom = { continuation.yield() }
        let piece = [UInt8](repeating: 0, count: ServerLimits.webSocketInboxBytesMax / 2)
        for _ in 0..<3 { inbox.append(.binary(piece)) }
        #expect(inbox.isFull)
        for _ in 0..<3 { _ = await inbox.next() }
        continuation.finish()
        #expect(!inbox.isFull)
        let count = await rooms.reduce(0) { count, _ in count + 1 }
        #expect(count == 1)
        for _ in 0..<3 { inbox.append(.binary(piece)) }
        inbox.close()
        #expect(!inbox.isFull)
    }
}
