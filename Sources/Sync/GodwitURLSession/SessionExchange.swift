//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request and its response. An exchange receives the events of a session, and provides the response to a reader.
///
/// On Apple's systems the task is suspended while too many bytes are unread. On Linux a task cannot be suspended: the
/// request fails when more than `unreadBytesMax` bytes are unread. The reader still gets the bytes that arrived before
/// the failure. Therefore a transfer that is resumed makes progress.
final class SessionExchange: Sendable {
    /// The number of unread bytes above which the task is suspended, or, where that is impossible, the request fails.
    private static let unreadBytesMax = SessionPlatform.canSuspendTasks ? 4 << 20 : 64 << 20

    /// The queue on which tasks are cancelled. `cancel()` waits for the session's queue, and on Linux the delegate is
    /// called on that queue.
    static let control = DispatchQueue(label: "godwit.session.control")

    /// The status and the headers of a response.
    struct Head: Sendable {
        let status: Int
        let headers: [(name: String, value: String)]
    }

    fileprivate enum End {
        case complete
        case failed(any Error)
    }

    fileprivate struct State {
        var head: Head?
        /// The newest unread pieces, in order of arrival.
        var arrived: [[UInt8]] = []
        /// The unread pieces that arrived before the pieces in ``arrived``, in reverse order.
        var unread: [[UInt8]] = []
        var unreadBytes = 0
        var isPaused = false
        var end: End?
        var headWaiter: CheckedContinuation<Head, any Error>?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
    }

    private let state = Mutex(State())
    private let task: URLSessionDataTask
    /// A closure that is called when the request has ended. It may be called more than once.
    private let onEnd: @Sendable () -> Void

    init(task: URLSessionDataTask, onEnd: @escaping @Sendable () -> Void) {
        self.task = task
        self.onEnd = onEnd
    }

    // MARK: Events of the session

    /// Receives the head of the response.
    func began(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        var headers = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        if headers.contains(where: { $0.0.lowercased() == "content-encoding" }) {
            // The session has decompressed the body, so these headers do not describe it.
            headers.removeAll { ["content-encoding", "content-length"].contains($0.0.lowercased()) }
        }
        let head = Head(status: response.statusCode, headers: headers)
        let waiter = state.withLock { state in
            state.head = head
            return state.takeHeadWaiter()
        }
        waiter?.resume(returning: head)
    }

    /// Receives a piece of the body.
    func received(_ data: Data) {
        let piece = [UInt8](data)
        let (reader, isFull) = state.withLock { state -> (CheckedContinuation<[UInt8]?, any Error>?, Bool) in
            guard state.end == nil else { return (nil, false) }
            if let reader = state.takeReader() { return (reader, false) }
            state.arrived.append(piece)
            state.unreadBytes += piece.count
            return (nil, state.unreadBytes > SessionExchange.unreadBytesMax)
        }
        reader?.resume(returning: piece)
        if isFull { pause() }
    }

    /// Receives the end of the task.
    func ended(_ failure: TransportFailure?) { end(failure.map { .failed($0) } ?? .complete) }

    private func pause() {
        guard SessionPlatform.canSuspendTasks else {
            return fail(
                TransportFailure(
                    "the peer sent more than \(SessionExchange.unreadBytesMax >> 20) MiB ahead of its reader"))
        }
        // The task is suspended under the lock. Without the lock, a reader could resume the task before it is
        // suspended.
        state.withLock { state in
            guard !state.isPaused, state.unreadBytes > SessionExchange.unreadBytesMax else { return }
            state.isPaused = true
            task.suspend()
        }
    }

    private func resume() {
        state.withLock { state in
            guard state.isPaused, state.unreadBytes <= SessionExchange.unreadBytesMax / 2 else { return }
            state.isPaused = false
            task.resume()
        }
    }

    // MARK: Requests of the reader

    /// Waits for the head of the response.
    ///
    /// - Throws: ``TransportFailure`` or `CancellationError`. In both cases the request has ended.
    func response(within secondsMax: Int) async throws -> TransportResponse {
        let timeout = Task {
            try await Task.sleep(for: .seconds(secondsMax))
            fail(TransportFailure("no response in time"))
        }
        defer { timeout.cancel() }
        let head = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in wait(forHead: waiter) }
        } onCancel: {
            fail(CancellationError())
        }
        return TransportResponse(
            status: head.status, headers: head.headers, body: SessionBody(lease: SessionBody.Lease(self)))
    }

    /// Waits for the next piece of the body; returns `nil` after the last piece. Only one task at a time may wait.
    ///
    /// - Throws: ``TransportFailure`` or `CancellationError`, after the pieces that arrived before the failure.
    func next() async throws -> [UInt8]? {
        defer { resume() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { reader in wait(forPiece: reader) }
        } onCancel: {
            fail(CancellationError())
        }
    }

    /// Cancels the request and reports an error to the reader. If the request has already ended, this call does not
    /// change what the reader gets: the complete response, or the error with which the request ended.
    func fail(_ error: any Error) {
        end(.failed(error))
        SessionExchange.control.async { [task] in task.cancel() }
    }

    private func wait(forHead waiter: CheckedContinuation<Head, any Error>) {
        let available = state.withLock { state -> Result<Head, any Error>? in
            if let head = state.head { return .success(head) }
            if let end = state.end { return .failure(end.error ?? TransportFailure("there was no response")) }
            state.headWaiter = waiter
            return nil
        }
        if let available { waiter.resume(with: available) }
    }

    private func wait(forPiece reader: CheckedContinuation<[UInt8]?, any Error>) {
        let available = state.withLock { state -> Result<[UInt8]?, any Error>? in
            if let piece = state.takePiece() { return .success(piece) }
            switch state.end {
            case .complete: return .success(nil)
            case .failed(let error): return .failure(error)
            case nil:
                state.reader = reader
                return nil
            }
        }
        if let available { reader.resume(with: available) }
    }

    private func end(_ end: End) {
        let (waiter, reader) = state.withLock { state in
            if state.end == nil { state.end = end }
            return (state.takeHeadWaiter(), state.takeReader())
        }
        onEnd()
        waiter?.resume(throwing: end.error ?? TransportFailure("there was no response"))
        if let error = end.error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }
}

extension SessionExchange.End {
    var error: (any Error)? {
        guard case .failed(let error) = self else { return nil }
        return error
    }
}

extension SessionExchange.State {
    mutating func takeHeadWaiter() -> CheckedContinuation<SessionExchange.Head, any Error>? {
        defer { headWaiter = nil }
        return headWaiter
    }

    mutating func takeReader() -> CheckedContinuation<[UInt8]?, any Error>? {
        defer { reader = nil }
        return reader
    }

    mutating func takePiece() -> [UInt8]? {
        if unread.isEmpty {
            unread = arrived.reversed()
            arrived = []
        }
        let piece = unread.popLast()
        unreadBytes -= piece?.count ?? 0
        return piece
    }
}

/// The body of a response. When the last copy of the body is released, the request is cancelled.
private struct SessionBody: AsyncSequence {
    final class Lease: Sendable {
        let exchange: SessionExchange

        init(_ exchange: SessionExchange) { self.exchange = exchange }

        deinit { exchange.fail(CancellationError()) }
    }

    let lease: Lease

    func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

    struct Iterator: AsyncIteratorProtocol {
        let lease: Lease

        mutating func next() async throws -> [UInt8]? {
            // Without this line, the lease could be released before the wait ends, and the request would be cancelled.
            defer { withExtendedLifetime(lease) {} }
            return try await lease.exchange.next()
        }
    }
}
