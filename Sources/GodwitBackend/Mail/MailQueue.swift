//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitMail
import Logging

/// Sends mails in the background, so that the time of a response does not tell whether an address is known.
///
/// The queue is in memory: a restart loses it, and users ask again.
final class MailQueue: Sendable {
    /// A mail to create and send.
    typealias Job = @Sendable () async throws -> Void

    private let jobs: AsyncStream<(job: Job, attempts: Int)>
    private let feed: AsyncStream<(job: Job, attempts: Int)>.Continuation

    init() {
        (jobs, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(BackendLimits.mailsWaitingMax))
    }

    /// Adds a mail.
    ///
    /// - Returns: Whether it was added. `false` when too many wait.
    @discardableResult
    func add(_ job: @escaping Job) -> Bool { add(job, attempts: 0) }

    private func add(_ job: @escaping Job, attempts: Int) -> Bool {
        guard case .enqueued = feed.yield((job, attempts)) else { return false }
        return true
    }

    /// Sends mails until the task is cancelled.
    func run(logger: Logger) async {
        await withDiscardingTaskGroup { group in
            for await (job, attempts) in jobs {
                group.addTask {
                    do {
                        try await job()
                    } catch let error as MailError
                        where error.mayRetry && attempts < BackendLimits.mailRetrySeconds.count
                    {
                        logger.warning("a mail is sent again later", metadata: ["cause": "\(error.message)"])
                        try? await Task.sleep(for: .seconds(BackendLimits.mailRetrySeconds[attempts]))
                        if !self.add(job, attempts: attempts + 1) { logger.error("a mail was dropped: too many wait") }
                    } catch is CancellationError {
                        return
                    } catch {
                        let cause = (error as? MailError)?.message ?? "\(error)"
                        logger.error("a mail was not sent", metadata: ["cause": "\(cause)"])
                    }
                }
            }
        }
    }
}
