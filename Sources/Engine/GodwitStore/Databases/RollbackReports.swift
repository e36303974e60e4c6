//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Reports databases whose files were replaced by older copies while they were closed. Such a database begins a new
/// epoch when it is opened, so that no client misses the changes that get the numbers of the lost changes.
package final class RollbackReports: Sendable {
    private let observer = Mutex<(@Sendable (_ database: String) -> Void)?>(nil)

    /// Sets the observer, which receives the name of each such database. Earlier reports are not repeated.
    package func observe(_ observer: @escaping @Sendable (_ database: String) -> Void) {
        self.observer.withLock { $0 = observer }
    }

    func add(_ database: String) {
        let observer = observer.withLock { $0 }
        observer?(database)
    }
}
