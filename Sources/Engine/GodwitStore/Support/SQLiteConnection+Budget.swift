//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

extension SQLiteConnection {
    /// Charges the steps of SQL statements to the work budget of the current request. When the budget is exhausted, the
    /// statements are interrupted.
    func spendCurrentBudget() {
        ask(every: StoreLimits.instructionsPerCheck) {
            guard let budget = WorkBudget.current else { return true }
            return budget.draw(StoreLimits.instructionsPerCheck) == nil
        }
    }
}
