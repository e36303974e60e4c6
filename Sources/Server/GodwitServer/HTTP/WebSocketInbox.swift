//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The messages that a client sends over a WebSocket. Only one task may read them.
///
/// ```swift
/// let inbox = WebSocketInbox()
/// try await context.response.beginWebSocket(context.request, receiving: inbox)
/// while let message = await inbox.next() { … }
/// ```
///
/// While the waiting messages need more than 256 KiB of memory, nothing is read from the client.
public final class WebSocketInbox: Sendable {
    /// A message of a client.
    public enum Message: Equatable, Sendable {
        /// A text. Invalid UTF-8 is repaired.
        case text(String)
        /// Bytes.
        case binary([UInt8])

        /// The memory of a message without content, in bytes.
        private static let emptyByteCount = 64

        fileprivate var byteCount: Int {
            switch self {
            case .text(let text): Self.emptyByteCount + text.utf8.count
            case .binary(let bytes): Self.emptyByteCount + bytes.count
            }
        }
    }

    private struct State {
        var messages: [Message] = []
        var byteCount = 0
        var isClosed = false
        var reader: CheckedContinuation<Message?, Never>?
        var onRoom: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Creates an empty inbox.
    public init() {}

    /// Returns the next message. Returns `nil` after the last message if the client has left, if the handler has
    /// finished the response, or if a task was cancelled while it waited in this method. The inbox stays closed after
    /// it has returned `nil`. Only one task may wait at a time.
    public func next() async -> Message? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (message, isReady, onRoom) = state.withLock { state in
                    if let message = state.messages.first {
                        state.messages.removeFirst()
                        let wasFull = state.byteCount >= ServerLimits.webSocketInboxBytesMax
                        state.byteCount -= message.byteCount
                        let isFull = state.byteCount >= ServerLimits.webSocketInboxBytesMax
                        return (Message?.some(message), true, wasFull && !isFull ? state.onRoom : nil)
                    }
                    if state.isClosed { return (nil, true, nil) }
                    state.reader = continuation
                    return (nil, false, nil)
                }
                onRoom?()
                if isReady { continuation.resume(returning: message) }
            }
        } onCancel: {
            close()
        }
    }

    /// Called when the inbox is no longer full.
    var onRoom: (@Sendable () -> Void)? {
        get { state.withLock { $0.onRoom } }
        set { state.withLock { $0.onRoom = newValue } }
    }

    /// Whether the waiting messages need so much memory that nothing more may be read from the client. `false` when the
    /// inbox is closed: messages are then still read from the client, but they are discarded.
    var isFull: Bool {
        state.withLock { !$0.isClosed && $0.byteCount >= ServerLimits.webSocketInboxBytesMax }
    }

    func append(_ message: Message) {
        let reader = state.withLock { state -> CheckedContinuation<Message?, Never>? in
            guard !state.isClosed else { return nil }
            guard let reader = state.reader else {
                state.messages.append(message)
                state.byteCount += message.byteCount
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: message)
    }

    /// Ends the messages. Messages that already wait are still returned.
    func close() {
        let reader = state.withLock { state in
            state.isClosed = true
            // The function references the connection's handler, which references this inbox. Removing the function
            // breaks this cycle of references.
            state.onRoom = nil
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }
}
