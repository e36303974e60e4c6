//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The budget of one request: steps of processor work, bytes of memory, and its cancellation.
///
/// Every loop whose length a client determines draws its steps from the budget (through a ``WorkMeter``) and stops when
/// the budget is exhausted. A step is one elementary operation: a comparison, a clause of a selector, sixteen bytes of
/// a text. In a release build a step takes 5 to 20 ns.
///
/// The budget of a request is ``current`` in its task and in the task's children. Work without a budget, such as an
/// app's own queries, has no limit.
package final class WorkBudget: Sendable {
    /// The limits of a budget.
    package struct Limits: Sendable, Equatable {
        /// The number of steps of a request: half a minute to two minutes of processor time.
        package var stepsMax = 6_000_000_000

        /// The number of steps for one document: about a tenth of a second, during which the thread is not available
        /// for other work.
        package var documentStepsMax = 10_000_000

        /// The number of steps of a slice of work: about 20 ms. Other work can run after each slice.
        package var sliceStepsMax = 2_000_000

        /// Creates the default limits. To use other limits, change the properties.
        package init() {}

        /// The limits of work that only its cancellation ends, such as a check of all databases.
        package static var cancellationOnly: Limits {
            var limits = Limits()
            (limits.stepsMax, limits.documentStepsMax) = (.max / 2, .max / 2)
            return limits
        }
    }

    /// The reason for which work must end.
    package enum End: Sendable, Equatable {
        /// The client disconnected or lost its rights, or the server stops.
        case cancelled
        /// All steps of the request are used.
        case stepsExhausted(stepsMax: Int)
        /// One document used all steps that a document may use.
        case documentStepsExhausted(stepsMax: Int)
    }

    /// The budget of the request that the current task works for; `nil` for other work.
    @TaskLocal package static var current: WorkBudget?

    /// The limits with which the budget was created.
    package let limits: Limits
    private let remainingSteps: Atomic<Int>
    private let cancelFlag = Atomic<Bool>(false)
    private let share: MemoryShare?

    /// Creates a budget.
    ///
    /// - Parameter share: The share that memory is charged to; `nil` for memory without a limit.
    package init(_ limits: Limits = Limits(), share: MemoryShare? = nil) {
        self.limits = limits
        self.share = share
        remainingSteps = Atomic(limits.stepsMax)
    }

    /// Cancels the work, which ends when it next checks the budget.
    package func cancel() { cancelFlag.store(true, ordering: .relaxed) }

    /// Whether the work was cancelled.
    package var isCancelled: Bool { cancelFlag.load(ordering: .relaxed) }

    /// Draws steps, and yields the processor to a waiting thread.
    ///
    /// Without the yield, a thread that reads a single document for another request may have to wait until the time
    /// slice of costly work ends. On Linux, this takes up to 4 ms.
    ///
    /// - Returns: The reason for which the work must end; `nil` if it may continue.
    package func draw(_ steps: Int) -> End? {
        invariant(steps >= 0, "work takes no fewer than zero steps")
        if isCancelled { return .cancelled }
        sched_yield()
        let newSteps = remainingSteps.subtract(steps, ordering: .relaxed).newValue
        return newSteps < 0 ? .stepsExhausted(stepsMax: limits.stepsMax) : nil
    }

    /// The reason for which the work must end; `nil` if it may continue.
    package var end: End? {
        if isCancelled { return .cancelled }
        return remainingSteps.load(ordering: .relaxed) < 0 ? .stepsExhausted(stepsMax: limits.stepsMax) : nil
    }

    /// Restores all steps. A changes feed calls this method before it waits for the next change.
    package func renew() { remainingSteps.store(limits.stepsMax, ordering: .relaxed) }

    /// The number of steps that are given back to the budget for each sent byte. To read and write the byte, fewer
    /// steps are needed.
    private static let stepsPerByteSent = 100

    /// Gives steps back to the budget for response bytes that are sent to the client, so that a long response is not
    /// treated as costly work. Yields the processor, as ``draw(_:)`` does.
    package func release(forBytesSent count: Int) {
        invariant(count >= 0, "no fewer than zero bytes are sent")
        sched_yield()
        let steps = count * WorkBudget.stepsPerByteSent
        var currentSteps = remainingSteps.load(ordering: .relaxed)
        // Work whose steps are exhausted has ended, so it gets no steps back.
        while currentSteps >= 0, currentSteps < limits.stepsMax {
            let newSteps = min(limits.stepsMax, currentSteps + steps)
            let (isExchanged, storedSteps) = remainingSteps.compareExchange(
                expected: currentSteps, desired: newSteps, ordering: .relaxed)
            guard !isExchanged else { return }
            currentSteps = storedSteps
        }
    }

    /// The number of bytes of memory that the request has taken.
    package var bytesTaken: Int { share?.bytes ?? 0 }

    /// Reserves bytes of memory until the share is deallocated at the end of the request. Does nothing without a share.
    ///
    /// - Throws: ``MemoryExhausted`` if the limit of the client, or of all clients together, is reached.
    package func take(bytes: Int) throws(MemoryExhausted) { try share?.take(bytes) }
}
