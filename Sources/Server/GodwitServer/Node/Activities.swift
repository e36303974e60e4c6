//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitPlaces
import GodwitQuery
import GodwitStore
import GodwitText
import HTTPTypes

/// The server's running background tasks, for `_active_tasks`.
final class Activities: Sendable {
    /// A running task.
    struct Activity: Sendable {
        let kind: String
        let database: String
        let started = WallClock.seconds
        var updated = WallClock.seconds
        var details: JSONObject
    }

    private struct State {
        var running: [Int: Activity] = [:]
        var nextNumber = 1
    }

    private let state = Mutex(State())

    /// Runs a task and lists it until it ends.
    ///
    /// - Parameters:
    ///   - countMax: The maximum number of tasks of this kind that may run at the same time.
    ///   - work: The task. The closure gets a function with which it updates the details of the task in the list.
    /// - Throws: The errors of `work`, or ``HTTPFailure`` with status 503 when too many tasks of the kind run.
    func during<Result>(
        _ kind: String, of database: String, atMost countMax: Int = .max, details: JSONObject = [:],
        _ work: (_ update: @escaping @Sendable (JSONObject) -> Void) async throws -> Result
    ) async throws -> Result {
        let number = try state.withLock { state throws(HTTPFailure) in
            guard state.running.values.count(where: { $0.kind.isIdenticalText(to: kind) }) < countMax else {
                throw HTTPFailure(
                    .serviceUnavailable, "service_unavailable",
                    "\(countMax) tasks of the kind \(kind) are running, the maximum. Try again when one has ended."
                )
            }
            defer { state.nextNumber += 1 }
            state.running[state.nextNumber] = Activity(kind: kind, database: database, details: details)
            return state.nextNumber
        }
        defer { state.withLock { $0.running[number] = nil } }
        return try await work { details in
            self.state.withLock { state in
                state.running[number]?.details = details
                state.running[number]?.updated = WallClock.seconds
            }
        }
    }

    /// Whether a task of a kind is running for a database.
    func isRunning(_ kind: String, of database: String) -> Bool {
        state.withLock { state in
            state.running.values.contains {
                $0.kind.isIdenticalText(to: kind) && $0.database.isIdenticalText(to: database)
            }
        }
    }

    /// All running tasks in CouchDB's format.
    var list: [JSONValue] {
        let running = state.withLock { $0.running.sorted { $0.key < $1.key } }
        return running.map { number, activity in
            var object: JSONObject = [
                "type": .string(activity.kind), "database": .string(activity.database), "node": .string(nodeName),
                "pid": .string("<0.\(number).0>"), "started_on": .integer(Int64(activity.started)),
                "updated_on": .integer(Int64(activity.updated)),
            ]
            for (name, value) in activity.details { object[name] = value }
            return .object(object)
        }
    }
}

extension IndexProgress {
    private var taskType: String {
        switch index.kind {
        case FieldIndex.kindName: "search_indexer"
        case functionIndexKind: "geo_search_indexer"
        default: "indexer"
        }
    }

    /// Returns the entry in `_active_tasks`.
    ///
    /// - Parameter designs: The design documents that define the index. The entry contains the name of the first of
    ///   them. If no design document defines the index, the entry contains the name of the index instead.
    func taskValue(database: String, designs: [String]) -> JSONValue {
        let (done, total) = (sequence - from, wanted - from)
        let started = Int64(WallClock.seconds) - Int64(began.secondsAgo)
        return [
            "type": .string(taskType), "database": .string(database),
            "node": .string(nodeName),
            "pid": .string("<0.\(index.number).1>"), "design_document": .string(designs.first ?? index.name),
            "changes_done": .integer(done), "total_changes": .integer(total),
            "progress": .integer(total > 0 ? min(100, done * 100 / total) : 100),
            "started_on": .integer(started), "updated_on": .integer(Int64(WallClock.seconds)),
        ]
    }
}
