//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension AsyncStream where Element: Sendable {
    /// The maximum number of elements that wait for a slow consumer. If more elements wait, the stream ends.
    private static var waitingMax: Int { 128 }

    /// Returns a stream of the elements of this stream, with an additional `nil` after each interval. For each `nil`,
    /// the server sends a comment to its client. If sending the comment fails, the server knows that the client has
    /// left. The returned stream ends early if too many elements wait.
    public func beating(everySeconds seconds: Int) -> AsyncStream<Element?> {
        let (stream, continuation) = AsyncStream<Element?>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.waitingMax))
        let passing = Task {
            for await element in self {
                if case .dropped = continuation.yield(element) { break }
            }
            continuation.finish()
        }
        let beating = Task {
            while (try? await Task.sleep(for: .seconds(seconds))) != nil { continuation.yield(nil) }
        }
        continuation.onTermination = { _ in
            passing.cancel()
            beating.cancel()
        }
        return stream
    }
}
