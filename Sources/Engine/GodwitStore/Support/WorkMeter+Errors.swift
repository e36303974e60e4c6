//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension WorkMeter? {
    /// Throws if the work was cancelled or its budget is exhausted.
    ///
    /// - Parameter document: The id of the document that was examined last; `nil` for none.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/cancelled`` or ``StoreError/Code/tooCostly``.
    package func check(document: @autoclosure () -> String? = nil) throws(StoreError) {
        guard let end = self?.end else { return }
        throw StoreError(end, document: document())
    }
}

extension StoreError {
    init(_ end: WorkBudget.End, document: String?) {
        switch end {
        case .cancelled: self.init(.cancelled, "the request was cancelled")
        case .stepsExhausted(let stepsMax):
            self.init(
                .tooCostly,
                "the request needs more than \(stepsMax) steps of work. Narrow it: use an index, a smaller range or a "
                    + "simpler selector.")
        case .documentStepsExhausted(let stepsMax):
            self.init(
                .tooCostly,
                "matching the document \(document ?? "") needs more than \(stepsMax) steps of work. Use a simpler "
                    + "selector: fewer conditions, shorter lists, a pattern with less backtracking.")
        }
    }
}
