//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Counts the steps of a slice of work on one thread, and draws them from a ``WorkBudget`` in portions.
///
/// Work asks ``spend(_:)`` in each of its loops and stops when that says no. Whoever began the work asks ``end`` then.
package final class WorkMeter {
    /// Steps that are drawn at a time, so that the budget, which all threads share, is rarely touched.
    private static let portion = 4_096

    private let budget: WorkBudget
    // Unchecked: these are read and written in the innermost loops, by short functions that call nothing in between.

    /// Steps that were drawn and not used. Below zero nothing more may be done.
    @usableFromInline @exclusivity(unchecked) var left = 0
    /// Steps that were drawn for the slice, and for the current document.
    @exclusivity(unchecked) private var sliceSteps = 0
    @exclusivity(unchecked) private var documentSteps = 0

    /// Why the work has to end; `nil` as long as it may go on.
    @exclusivity(unchecked) package private(set) var end: WorkBudget.End?

    /// Creates a meter for the work of the current request; `nil` for work without limits.
    package init?(of budget: WorkBudget? = WorkBudget.current) {
        guard let budget else { return nil }
        self.budget = budget
    }

    /// Steps that it takes to read a row, and bytes of JSON that are scanned in one step.
    @inlinable static var stepsPerRow: Int { 50 }
    @inlinable static var bytesScannedPerStep: Int { 16 }

    /// The time that counts as a step, for work that has no steps of its own.
    private static let stepTime = Duration.nanoseconds(10)

    /// Whether the slice took as long as it may, and others should have their turn.
    package var isSliceOver: Bool { sliceSteps >= budget.limits.sliceStepsMax || end != nil }

    /// Counts the steps of a document anew.
    package func beginDocument() { documentSteps = 0 }

    /// Counts steps.
    ///
    /// - Returns: Whether the work may go on.
    @discardableResult
    @inlinable
    package func spend(_ steps: Int = 1) -> Bool {
        left -= steps
        return left >= 0 || refill()
    }

    /// Counts a row or document that is read and scanned.
    ///
    /// - Returns: Whether the work may go on.
    @discardableResult
    @inlinable
    package func spend(readingBytes count: Int) -> Bool {
        spend(WorkMeter.stepsPerRow + count / WorkMeter.bytesScannedPerStep)
    }

    /// Counts the processor time of this thread as steps.
    ///
    /// - Parameter begin: What ``ProcessorTime/ofThread`` said when the work began.
    package func spend(timeSince begin: Duration) {
        spend(Int((ProcessorTime.ofThread - begin) / WorkMeter.stepTime))
    }

    /// Steps that one operation may take now, at most.
    package var operationStepsMax: Int { end == nil ? max(0, budget.limits.documentStepsMax - documentSteps) : 0 }

    @usableFromInline func refill() -> Bool {
        guard end == nil else {
            left = 0
            return false
        }
        let steps = max(WorkMeter.portion, -left)
        sliceSteps += steps
        documentSteps += steps
        end = budget.draw(steps)
        if end == nil, documentSteps > budget.limits.documentStepsMax {
            end = .documentStepsExhausted(stepsMax: budget.limits.documentStepsMax)
        }
        left = end == nil ? left + steps : 0
        return end == nil
    }
}
