//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the work of one request may take: steps of the processor, bytes of memory, and time until it is cancelled.
///
/// Everything that loops over what a client chose draws its steps from here (through a ``WorkMeter``) and stops when
/// there are none left. A step is one elementary operation: a comparison, a clause of a selector, sixteen bytes of a text.
/// In a release build a step takes 5 to 20 ns.
///
/// The budget of a request is ``current`` in its task and in the tasks that it starts. Work without a budget, as an app's
/// own queries are, has no limit.
package final class WorkBudget: Sendable {
    /// The limits of a budget.
    package struct Limits: Sendable, Equatable {
        /// Steps of all the work of a request: one to two minutes of a processor.
        package var stepsMax = 6_000_000_000

        /// Steps that a look at one document may take: about a tenth of a second. Nobody else can have the thread meanwhile.
        package var documentStepsMax = 10_000_000

        /// Steps of a slice of work, after which others have their turn: about 20 ms.
        package var sliceStepsMax = 2_000_000

        /// Creates the default limits, to be changed one by one.
        package init() {}
    }

    /// Why work had to end.
    package enum End: Sendable, Equatable {
        /// The client is gone, lost its rights, or the server stops.
        case cancelled
        /// All steps of the request are used.
        case stepsExhausted(stepsMax: Int)
        /// One document took all the steps that a document may take.
        case documentStepsExhausted(stepsMax: Int)
    }

    /// The budget of the request that the current task works for; `nil` for other work.
    @TaskLocal package static var current: WorkBudget?

    package let limits: Limits
    private let stepsLeft: Atomic<Int>
    private let isOver = Atomic<Bool>(false)
    private let share: MemoryShare?

    /// Creates a budget.
    ///
    /// - Parameter share: Where the bytes are taken from; `nil` for memory without a limit.
    package init(_ limits: Limits = Limits(), share: MemoryShare? = nil) {
        self.limits = limits
        self.share = share
        stepsLeft = Atomic(limits.stepsMax)
    }

    /// Ends the work soon: at the next look of whoever works.
    package func cancel() { isOver.store(true, ordering: .relaxed) }

    /// Whether the work was cancelled.
    package var isCancelled: Bool { isOver.load(ordering: .relaxed) }

    /// Takes steps, and lets another thread have the processor that waits for it.
    ///
    /// Without that, a thread that answers a point read may wait for the end of the time slice that the system gave to costly
    /// work: up to 4 ms on Linux.
    ///
    /// - Returns: Why the work has to end; `nil` when it may go on.
    package func draw(_ steps: Int) -> End? {
        if isCancelled { return .cancelled }
        sched_yield()
        let left = stepsLeft.subtract(steps, ordering: .relaxed).newValue
        return left < 0 ? .stepsExhausted(stepsMax: limits.stepsMax) : nil
    }

    /// Why the work has to end; `nil` when it may go on.
    package var end: End? {
        if isCancelled { return .cancelled }
        return stepsLeft.load(ordering: .relaxed) < 0 ? .stepsExhausted(stepsMax: limits.stepsMax) : nil
    }

    /// Gives all steps back: a feed begins new work with each change that it waited for.
    package func renew() { stepsLeft.store(limits.stepsMax, ordering: .relaxed) }

    /// Steps that a byte of an answer gives back: more than it takes to read and to write it.
    private static let stepsPerByteSent = 100

    /// Gives steps back for bytes of the answer that the client takes, and lets another thread have the processor, as
    /// ``draw(_:)`` does: a long answer is no costly one.
    package func giveBack(forBytesSent count: Int) {
        sched_yield()
        let steps = count * WorkBudget.stepsPerByteSent
        var left = stepsLeft.load(ordering: .relaxed)
        // Work that has used up its steps has ended.
        while left >= 0, left < limits.stepsMax {
            let more = min(limits.stepsMax, left + steps)
            let (exchanged, original) = stepsLeft.compareExchange(expected: left, desired: more, ordering: .relaxed)
            guard !exchanged else { return }
            left = original
        }
    }

    /// Bytes of memory that were taken.
    package var bytesTaken: Int { share?.bytes ?? 0 }

    /// Takes bytes of memory until the request ends.
    ///
    /// - Throws: ``MemoryExhausted`` when the client, or all clients together, have as much as they may have.
    package func take(bytes: Int) throws(MemoryExhausted) { try share?.take(bytes) }
}
