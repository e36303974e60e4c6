//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces
import GodwitQuery
import GodwitStore
import GodwitText
import GodwitThreads
import HTTPTypes

/// What the server is doing beside its requests, for `_active_tasks`.
final class Activities: Sendable {
    /// Something under way.
    struct Activity: Sendable {
        let kind: String
        let database: String
        let started = WallClock.seconds
        var updated = WallClock.seconds
        var details: JSONObject
    }

    private struct State {
        var running: [Int: Activity] = [:]
        var next = 1
    }

    private let state = Mutex(State())

    /// Does some work and lists it meanwhile.
    ///
    /// - Parameters:
    ///   - countMax: How many of the kind there may be at a time.
    ///   - work: Gets a closure that changes what is told of it.
    /// - Throws: What `work` threw, or ``HTTPFailure`` with status 503 when there are too many already.
    func during<Result>(
        _ kind: String, of database: String, atMost countMax: Int = .max, details: JSONObject = [:],
        _ work: (_ update: @escaping @Sendable (JSONObject) -> Void) async throws -> Result
    ) async throws -> Result {
        let number = try state.withLock { state throws(HTTPFailure) in
            guard state.running.values.count(where: { $0.kind == kind }) < countMax else {
                throw HTTPFailure(
                    .serviceUnavailable, "service_unavailable",
                    "\(countMax) of \(kind) are under way, no more at a time. Try again when one is done.")
            }
            defer { state.next += 1 }
            state.running[state.next] = Activity(kind: kind, database: database, details: details)
            return state.next
        }
        defer { state.withLock { $0.running[number] = nil } }
        return try await work { details in
            self.state.withLock { state in
                state.running[number]?.details = details
                state.running[number]?.updated = WallClock.seconds
            }
        }
    }

    /// Whether something of a kind is under way for a database.
    func isRunning(_ kind: String, of database: String) -> Bool {
        state.withLock { $0.running.values.contains { $0.kind == kind && $0.database == database } }
    }

    /// All that is under way, as CouchDB lists it.
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

    /// The entry of `_active_tasks`.
    ///
    /// - Parameter designs: The design documents that define it.
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
