//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Counts the steps of a slice of work on one thread, and draws them from a ``WorkBudget`` in portions.
///
/// Each loop of the work calls ``spend(_:)`` and stops when the result is `false`. The caller of the work then reads
/// ``end``.
package final class WorkMeter {
    /// The number of steps that are drawn at a time. Many steps are drawn together, so that the budget, which several
    /// threads share, is rarely accessed.
    private static let stepsPerDraw = 4_096

    private let budget: WorkBudget
    // The exclusivity of accesses to these properties is not checked, because the innermost loops access them. This is
    // safe: the accesses are in short functions, and no function that is called during an access uses the meter.

    /// The number of steps that were drawn and are not used. If it is negative, the work must stop or draw more.
    @usableFromInline @exclusivity(unchecked) var unusedSteps = 0
    /// The number of steps that were drawn for the slice.
    @exclusivity(unchecked) private var sliceSteps = 0
    /// The number of steps that were drawn for the current document.
    @exclusivity(unchecked) private var documentSteps = 0

    /// The reason for which the work must end; `nil` while it may continue.
    @exclusivity(unchecked) package private(set) var end: WorkBudget.End?

    /// Creates a meter for the work of the current request; `nil` for work without limits.
    package init?(of budget: WorkBudget? = WorkBudget.current) {
        guard let budget else { return nil }
        self.budget = budget
    }

    /// The number of steps for reading a row.
    @inlinable static var stepsPerRow: Int { 50 }
    /// The number of bytes of JSON that are scanned in one step.
    @inlinable static var bytesScannedPerStep: Int { 16 }

    /// The processor time that is counted as one step, for work that does not count its steps.
    private static let stepTime = Duration.nanoseconds(10)

    /// Whether other work should run now: the slice has used its steps, or the work must end.
    package var isSliceOver: Bool { sliceSteps >= budget.limits.sliceStepsMax || end != nil }

    /// Resets the step count of the current document.
    package func beginDocument() { documentSteps = 0 }

    /// Counts steps.
    ///
    /// - Returns: Whether the work may continue.
    @discardableResult
    @inlinable
    package func spend(_ steps: Int = 1) -> Bool {
        unusedSteps -= steps
        return unusedSteps >= 0 || refill()
    }

    /// Counts the steps for reading and scanning a row or document.
    ///
    /// - Returns: Whether the work may continue.
    @discardableResult
    @inlinable
    package func spend(readingBytes count: Int) -> Bool {
        spend(WorkMeter.stepsPerRow + count / WorkMeter.bytesScannedPerStep)
    }

    /// Counts the processor time of this thread as steps.
    ///
    /// - Parameter begin: The value of ``ProcessorTime/ofThread`` when the work began.
    package func spend(timeSince begin: Duration) {
        spend(Int((ProcessorTime.ofThread - begin) / WorkMeter.stepTime))
    }

    /// The maximum number of steps that one operation may take now; 0 if the work must end.
    package var operationStepsMax: Int { end == nil ? max(0, budget.limits.documentStepsMax - documentSteps) : 0 }

    /// Draws the number of steps by which `unusedSteps` is below 0, but at least `stepsPerDraw`.
    ///
    /// - Returns: Whether the work may continue. If it may not, ``end`` is set.
    @usableFromInline func refill() -> Bool {
        guard end == nil else {
            unusedSteps = 0
            return false
        }
        let steps = max(WorkMeter.stepsPerDraw, -unusedSteps)
        sliceSteps += steps
        documentSteps += steps
        end = budget.draw(steps)
        if end == nil, documentSteps > budget.limits.documentStepsMax {
            end = .documentStepsExhausted(stepsMax: budget.limits.documentStepsMax)
        }
        unusedSteps = end == nil ? unusedSteps + steps : 0
        invariant(unusedSteps >= 0, "steps are drawn before more of them are used")
        return end == nil
    }
}
