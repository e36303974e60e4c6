//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationNetworking)
    import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

/// The differences between the sessions of Apple's Foundation and those of Foundation on Linux.
package enum SessionPlatform {
    #if canImport(Darwin)
        /// Whether a task can be suspended, so that no more bytes arrive.
        static let canSuspendTasks = true
        /// Whether the response to a refused challenge ends its task.
        static let endsChallengedTasks = true
        /// The queue of the delegate's calls; with `nil` the session creates one.
        static let delegateQueue: OperationQueue? = nil

        /// Creates a pair of streams: a session reads what is written. `nil` if the system does not have such streams.
        static func boundStreams(byteCount: Int) -> (input: InputStream, output: OutputStream)? {
            var (input, output) = (nil as InputStream?, nil as OutputStream?)
            Stream.getBoundStreams(withBufferSize: byteCount, inputStream: &input, outputStream: &output)
            guard let input, let output else { return nil }
            return (input, output)
        }

        /// The configuration of transfers that the system continues while the app is suspended or not running.
        package static func backgroundConfiguration(_ identifier: String) -> URLSessionConfiguration {
            let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
            configuration.sessionSendsLaunchEvents = true
            return configuration
        }
    #else
        static let canSuspendTasks = false
        // Foundation calls the delegate after the complete response has arrived, and never reports that the task is
        // complete.
        static let endsChallengedTasks = false
        static let delegateQueue: OperationQueue? = ImmediateQueue()

        /// Calls the delegate synchronously. Foundation on Linux reads from the network even if the delegate has not
        /// processed earlier data. Queued operations would then fill the memory.
        private final class ImmediateQueue: OperationQueue, @unchecked Sendable {
            // Proof of `Sendable`: the class has no stored properties.
            override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
        }

        // Foundation has no such pair, and all its sessions share one queue: a stream that waits for bytes would block
        // every request of the process.
        static func boundStreams(byteCount: Int) -> (input: InputStream, output: OutputStream)? { nil }

        /// The configuration of transfers, which end with the process on this system.
        package static func backgroundConfiguration(_ identifier: String) -> URLSessionConfiguration { .ephemeral }
    #endif
}
