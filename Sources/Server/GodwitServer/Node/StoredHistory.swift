//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import Logging

/// Stores the counts of the last minutes in the catalogue of the databases, so that the charts of the console survive a
/// restart. The counts of a day need about 100 KB.
///
/// After a crash, the counts of the last five minutes may be missing.
struct StoredHistory: Sendable {
    private static let storageKey = "recent-minutes"
    private static let intervalSeconds = 300

    let manager: DatastoreManager
    let statistics: Statistics
    let logger: Logger

    /// Reads the stored counts. The minutes since they were stored have no requests.
    func restore() async {
        do {
            guard let stored = try await manager.setting(Self.storageKey) else { return }
            statistics.restore(try JSONValue(parsing: stored))
        } catch {
            note("read", error)
        }
    }

    /// Stores the counts every five minutes until the task is cancelled.
    func run() async {
        while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil { await store() }
    }

    /// Stores the counts of all complete minutes; nothing if there are none.
    func store() async {
        let history = statistics.history
        guard history["requests"]?.arrayValue?.isEmpty == false else { return }
        do {
            try await manager.setSetting(Self.storageKey, to: history.jsonBytes())
        } catch {
            note("stored", error)
        }
    }

    private func note(_ action: String, _ error: any Error) {
        logger.warning("the history of the charts cannot be \(action)", metadata: ["error": "\(error)"])
    }
}
