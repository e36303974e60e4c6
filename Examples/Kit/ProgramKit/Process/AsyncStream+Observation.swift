//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Observation

extension AsyncStream<Void> {
    /// Returns a stream with an element after each change of a value that depends on observable objects. If several
    /// changes happen before an element is read, they cause only one element.
    ///
    /// - Parameter read: A closure that reads the value.
    public static func changes(of read: @escaping @MainActor @Sendable () -> Void) -> AsyncStream<Void> {
        let (stream, continuation) = makeStream(bufferingPolicy: .bufferingNewest(1))
        Task { await observe(read, continuation) }
        return stream
    }

    /// Sends an element after the next change, and observes again.
    @MainActor private static func observe(
        _ read: @escaping @MainActor @Sendable () -> Void, _ continuation: Continuation
    ) {
        withObservationTracking(read) {
            // Both steps run on the main actor, and no other code runs between them. Therefore no change is missed.
            Task { @MainActor in
                guard case .terminated = continuation.yield() else { return observe(read, continuation) }
            }
        }
    }
}
