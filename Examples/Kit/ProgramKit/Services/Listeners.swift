//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The clients that receive the events of a server.
public final class Listeners<Event: Sendable>: Sendable {
    /// The maximum number of events that wait for a slow client. If more events wait, the client's stream ends.
    private static var eventsWaitingMax: Int { 64 }

    private struct State {
        var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Creates an object without clients.
    public init() {}

    /// Returns the events that are sent from now on. The stream ends when ``finish()`` is called, or when too many
    /// events wait in it.
    public func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingOldest(Self.eventsWaitingMax))
        let number = state.withLock { state in
            state.count += 1
            state.continuations[state.count] = continuation
            return state.count
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in _ = state.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    /// Sends an event to all clients.
    public func send(_ event: Event) {
        for listener in state.withLock({ $0.continuations.values }) {
            // A client that misses an event must read everything again. Therefore its stream ends, so that the client
            // connects again.
            if case .dropped = listener.yield(event) { listener.finish() }
        }
    }

    /// Ends the streams of all clients. This does not affect streams that are created later.
    public func finish() {
        // The streams are ended after the lock is released, because the end of a stream acquires the lock again.
        let listeners = state.withLock { state in
            defer { state.continuations = [:] }
            return state.continuations.values
        }
        for listener in listeners { listener.finish() }
    }
}
