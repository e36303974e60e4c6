//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitThreads

extension SQLiteConnection {
    /// Draws the steps of statements from the budget of the request that they run for, and interrupts them when it is over.
    func spendCurrentBudget() {
        ask(every: StoreLimits.instructionsPerLook) {
            guard let budget = WorkBudget.current else { return true }
            return budget.draw(StoreLimits.instructionsPerLook) == nil
        }
    }
}
