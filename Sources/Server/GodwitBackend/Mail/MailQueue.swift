//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import Logging

/// Sends mails in the background, so that the time of a response does not reveal whether an address is known.
///
/// The applications take turns in sending mails, and each application may send only a limited number of mails at the
/// same time. Therefore, a slow SMTP server of one application does not delay the mails of other applications. The
/// queue is in memory and not on the disk. When the server restarts, the waiting mails are lost, and users must request
/// them again.
final class MailQueue: Sendable {
    /// A mail to create and send.
    typealias Job = @Sendable () async throws -> Void

    private struct Entry: Sendable {
        let application: String
        let job: Job
        let attempts: Int
    }

    private struct State {
        var waiting: [String: JobQueue<Entry>] = [:]
        /// The applications with waiting mails, in the order in which they are served.
        var order = JobQueue<String>()
        /// For each application, the number of its mails that wait, are being sent, or will be sent again.
        var counts: [String: Int] = [:]
        var totalCount = 0
        var sending: [String: Int] = [:]
        var sendingCount = 0
        /// The number of mails that were refused since the log last reported refused mails.
        var refusedCount = 0
        /// The time of the last line in the log about refused mails; `nil` before the first.
        var refusalLogged: Moment?

        mutating func enqueue(_ entry: Entry) {
            if waiting[entry.application]?.isEmpty ?? true { order.append(entry.application) }
            waiting[entry.application, default: JobQueue()].append(entry)
        }

        /// Returns the next mail of the first application that may send a mail now; `nil` when no application may send
        /// one.
        mutating func next() -> Entry? {
            guard sendingCount < BackendLimits.mailsTogetherMax else { return nil }
            for _ in 0..<waiting.count {
                guard let application = order.popFirst() else { return nil }
                guard sending[application, default: 0] < BackendLimits.applicationMailsTogetherMax,
                    let entry = waiting[application]?.popFirst()
                else {
                    if waiting[application]?.isEmpty == false { order.append(application) }
                    continue
                }
                if waiting[application]?.isEmpty == true {
                    waiting[application] = nil
                } else {
                    order.append(application)
                }
                sending[application, default: 0] += 1
                sendingCount += 1
                invariant(sendingCount <= totalCount, "a mail that is being sent is counted")
                return entry
            }
            return nil
        }
    }

    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init() { (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Adds a mail.
    ///
    /// - Returns: Whether the mail was added. `false` when too many mails of this application wait, and when too many
    ///   mails of all applications wait.
    @discardableResult
    func add(for application: String, _ job: @escaping Job) -> Bool {
        let isAdded = state.withLock { state in
            let count = state.counts[application, default: 0]
            guard count < BackendLimits.applicationMailsWaitingMax, state.totalCount < BackendLimits.mailsWaitingMax
            else {
                state.refusedCount += 1
                return false
            }
            state.counts[application] = count + 1
            state.totalCount += 1
            state.enqueue(Entry(application: application, job: job, attempts: 0))
            return true
        }
        wake.yield()
        return isAdded
    }

    /// Sends mails until the task is cancelled.
    func run(logger: Logger) async {
        await withDiscardingTaskGroup { group in
            for await _ in wakes {
                logRefusals(logger)
                while let entry = state.withLock({ $0.next() }) {
                    group.addTask { await self.send(entry, logger) }
                }
            }
        }
    }

    /// Logs how many mails were refused, at most once a minute.
    private func logRefusals(_ logger: Logger) {
        let refusedCount = state.withLock { state in
            guard state.refusedCount > 0, state.refusalLogged.map({ $0.secondsAgo >= 60 }) ?? true else { return 0 }
            defer { (state.refusedCount, state.refusalLogged) = (0, .now) }
            return state.refusedCount
        }
        guard refusedCount > 0 else { return }
        logger.error("mails were not sent, because too many mails wait", metadata: ["count": "\(refusedCount)"])
    }

    private func send(_ entry: Entry, _ logger: Logger) async {
        var retrySeconds: Int?
        do {
            try await entry.job()
        } catch let error as MailError where error.mayRetry && entry.attempts < BackendLimits.mailRetrySeconds.count {
            logger.warning("a mail is sent again later", metadata: ["cause": "\(error.message)"])
            retrySeconds = BackendLimits.mailRetrySeconds[entry.attempts]
        } catch is CancellationError {
            return
        } catch {
            let cause = (error as? MailError)?.message ?? "\(error)"
            logger.error("a mail was not sent", metadata: ["cause": "\(cause)"])
        }
        state.withLock { state in
            state.sendingCount -= 1
            invariant(state.sendingCount >= 0 && state.totalCount > 0, "a mail that was sent was in the queue")
            invariant(
                state.sending[entry.application] != nil && state.counts[entry.application] != nil,
                "a mail that was sent is counted for its application")
            let sending = state.sending[entry.application, default: 1] - 1
            state.sending[entry.application] = sending > 0 ? sending : nil
            guard retrySeconds == nil else { return }
            state.totalCount -= 1
            let count = state.counts[entry.application, default: 1] - 1
            state.counts[entry.application] = count > 0 ? count : nil
        }
        wake.yield()
        guard let retrySeconds else { return }
        try? await Task.sleep(for: .seconds(retrySeconds))
        state.withLock {
            $0.enqueue(Entry(application: entry.application, job: entry.job, attempts: entry.attempts + 1))
        }
        wake.yield()
    }
}
